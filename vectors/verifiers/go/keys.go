// Keys (spec/receipt.md, Keys): the forms of a public key, its thumbprint, the checks of its point, and signatures.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
)

// PublicKey is a key whose point has been checked (RCP-6).
type PublicKey struct {
	Alg  string // Ed25519 or ESP256
	X, Y []byte
	Kid  []byte
	p256 *ecdsa.PublicKey
}

// newKey checks lengths and the point, and takes the thumbprint.
func newKey(alg string, x, y []byte) (*PublicKey, code) { return newKeyOf(alg, x, y, nil, false) }

// newKeyOf: first the form, then that it is no private key, then the point. d is the private part.
func newKeyOf(alg string, x, y, d []byte, private bool) (*PublicKey, code) {
	key := &PublicKey{Alg: alg, X: x, Y: y}
	if len(x) != 32 || (alg == "ESP256" && len(y) != 32) {
		return nil, "key-format"
	}
	if private {
		if !bytes.Equal(publicPart(alg, d), slices.Concat(x, y)) {
			return nil, "key-format"
		}
		return nil, "key-private"
	}
	if alg == "Ed25519" {
		if !goodEd25519Point(x) {
			return nil, "key-point"
		}
	} else {
		point, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil { // a coordinate above the field, or not on the curve
			return nil, "key-point"
		}
		key.p256 = point
	}
	sum := sha256.Sum256(key.thumbprintInput())
	key.Kid = sum[:]
	return key, ""
}

// publicPart is that of a private key; nil where it is none.
func publicPart(alg string, d []byte) []byte {
	if len(d) != 32 {
		return nil
	}
	if alg == "Ed25519" {
		return ed25519.NewKeyFromSeed(d).Public().(ed25519.PublicKey)
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), d)
	if err != nil {
		return nil
	}
	point, err := private.PublicKey.Bytes()
	if err != nil {
		return nil
	}
	return point[1:]
}

// thumbprintInput is the deterministic CBOR of the required members (RFC 9679).
func (key *PublicKey) thumbprintInput() []byte {
	if key.Alg == "Ed25519" {
		return encode([]pair{{1, 1}, {-1, 6}, {-2, key.X}})
	}
	return encode([]pair{{1, 2}, {-1, 1}, {-2, key.X}, {-3, key.Y}})
}

// --- Forms

// keyFromJWK reads a public JWK. Members that are not named are not looked at.
func keyFromJWK(v *Value) (*PublicKey, code) {
	if v == nil || v.Kind != jsonObject {
		return nil, "key-format"
	}
	text := func(name string) string {
		if m := v.get(name); m != nil && m.Kind == jsonText {
			return m.Text
		}
		return ""
	}
	alg := func(names ...string) bool { return v.get("alg") == nil || slices.Contains(names, text("alg")) }
	x, y, d, private := base64url(text("x")), base64url(text("y")), base64url(text("d")), v.get("d") != nil
	switch {
	case text("kty") == "OKP" && text("crv") == "Ed25519" && alg("Ed25519", "EdDSA"):
		return newKeyOf("Ed25519", x, nil, d, private)
	case text("kty") == "EC" && text("crv") == "P-256" && alg("ESP256", "ES256"):
		return newKeyOf("ESP256", x, y, d, private)
	}
	return nil, "key-format"
}

// base64url reads 32 bytes without padding; nil is a form that is not taken.
func base64url(text string) []byte {
	if len(text) != 43 || strings.ContainsAny(text, "\r\n") {
		return nil
	}
	out, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil
	}
	return out
}

// keyFromCOSE reads a COSE_Key in deterministic CBOR.
func keyFromCOSE(data []byte) (*PublicKey, code) {
	item, problem := walkItem(data, 0, len(data))
	if problem != nil || item.Major != majorMap {
		return nil, "key-format"
	}
	is := func(label, value int64) bool {
		found := item.get(label)
		return found != nil && found.Major == majorUnsigned && found.Integer == value
	}
	alg := func(numbers ...int64) bool {
		found := item.get(3)
		return found == nil || found.Major == majorNegative && slices.Contains(numbers, found.Integer)
	}
	coordinate := func(label int64) []byte {
		if found := item.get(label); found != nil && found.Major == majorBytes {
			return found.Bytes
		}
		return nil
	}
	switch {
	case is(1, 1) && is(-1, 6) && alg(-19, -8):
		return newKeyOf("Ed25519", coordinate(-2), nil, coordinate(-4), item.get(-4) != nil)
	case is(1, 2) && is(-1, 1) && alg(-9, -7):
		return newKeyOf("ESP256", coordinate(-2), coordinate(-3), coordinate(-4), item.get(-4) != nil)
	}
	return nil, "key-format"
}

// The DER of a SubjectPublicKeyInfo up to the key (RFC 8410; RFC 5480 with an uncompressed point).
var (
	spkiEd25519 = mustHex("302a300506032b6570032100")
	spkiP256    = mustHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
)

func mustHex(text string) []byte {
	out, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return out
}

func keyFromPEM(text string) (*PublicKey, code) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "-----BEGIN ") || strings.Count(text, "-----BEGIN ") > 1 { // text around it, or another block
		return nil, "key-format"
	}
	block, rest := pem.Decode([]byte(text))
	if block == nil || len(block.Headers) > 0 || len(bytes.TrimSpace(rest)) > 0 {
		return nil, "key-format"
	}
	if block.Type == "PRIVATE KEY" {
		return nil, privateForm(block.Bytes)
	}
	if block.Type != "PUBLIC KEY" {
		return nil, "key-format"
	}
	if x, ok := bytes.CutPrefix(block.Bytes, spkiEd25519); ok {
		return newKey("Ed25519", x, nil)
	}
	if xy, ok := bytes.CutPrefix(block.Bytes, spkiP256); ok && len(xy) == 64 {
		return newKey("ESP256", xy[:32], xy[32:])
	}
	return nil, "key-format"
}

// privateForm is what a private key in PKCS #8 is refused with where a public one belongs.
func privateForm(der []byte) code {
	private, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return "key-format"
	}
	if key, isEC := private.(*ecdsa.PrivateKey); isEC && key.Curve == elliptic.P256() {
		return "key-private"
	}
	if _, isEd := private.(ed25519.PrivateKey); isEd {
		return "key-private"
	}
	return "key-format"
}

// --- The point of an Ed25519 key (RCP-6)

func decimal(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

var (
	one     = big.NewInt(1)
	fieldP  = new(big.Int).Sub(new(big.Int).Lsh(one, 255), big.NewInt(19))
	orderL  = new(big.Int).Add(new(big.Int).Lsh(one, 252), decimal("27742317777372353535851937790883648493"))
	curveD  = mod(new(big.Int).Mul(big.NewInt(-121665), new(big.Int).ModInverse(big.NewInt(121666), fieldP)))
	neutral = edPoint{big.NewInt(0), one}
)

func mod(n *big.Int) *big.Int { return n.Mod(n, fieldP) }

func mul(a, b *big.Int) *big.Int { return mod(new(big.Int).Mul(a, b)) }

func div(a, b *big.Int) *big.Int { return mul(a, new(big.Int).ModInverse(b, fieldP)) }

// edPoint is a point of -x^2 + y^2 = 1 + d x^2 y^2.
type edPoint struct{ x, y *big.Int }

func (a edPoint) equals(b edPoint) bool { return a.x.Cmp(b.x) == 0 && a.y.Cmp(b.y) == 0 }

// plus is the addition law of RFC 8032 section 5.1, which holds for all points.
func (a edPoint) plus(b edPoint) edPoint {
	t := mul(curveD, mul(mul(a.x, b.x), mul(a.y, b.y)))
	x := new(big.Int).Add(mul(a.x, b.y), mul(b.x, a.y))
	y := new(big.Int).Add(mul(a.y, b.y), mul(a.x, b.x))
	return edPoint{div(x, mod(new(big.Int).Add(one, t))), div(y, mod(new(big.Int).Sub(one, t)))}
}

func (a edPoint) times(n *big.Int) edPoint {
	sum := neutral
	for i := n.BitLen() - 1; i >= 0; i-- {
		sum = sum.plus(sum)
		if n.Bit(i) == 1 {
			sum = sum.plus(a)
		}
	}
	return sum
}

// decodePoint is RFC 8032 section 5.1.3; it takes the canonical encoding alone.
func decodePoint(encoded []byte) (edPoint, bool) {
	bigEndian := slices.Clone(encoded)
	slices.Reverse(bigEndian)
	sign := uint(bigEndian[0] >> 7)
	bigEndian[0] &= 0x7f
	y := new(big.Int).SetBytes(bigEndian)
	if y.Cmp(fieldP) >= 0 {
		return edPoint{}, false
	}
	yy := mul(y, y)
	u := mod(new(big.Int).Sub(yy, one))
	v := mod(new(big.Int).Add(mul(curveD, yy), one))
	x := new(big.Int).ModSqrt(div(u, v), fieldP)
	if x == nil { // not on the curve
		return edPoint{}, false
	}
	if x.Sign() == 0 && sign == 1 {
		return edPoint{}, false
	}
	if x.Bit(0) != sign {
		x.Sub(fieldP, x)
	}
	return edPoint{x, y}, true
}

func goodEd25519Point(encoded []byte) bool {
	point, ok := decodePoint(encoded)
	return ok &&
		!point.times(big.NewInt(8)).equals(neutral) && // not of small order
		point.times(orderL).equals(neutral) // no torsion part
}

// --- Signatures

// verifySignature says what is wrong with the signature over the bytes; "" is nothing (RCP-7, RCP-8).
func (key *PublicKey) verifySignature(message, signature []byte) code {
	if key.Alg == "Ed25519" {
		// crypto/ed25519 refuses S >= L, computes [S]B - [k]A and compares its encoding with R: the equation of RCP-7.
		if !ed25519.Verify(ed25519.PublicKey(key.X), message, signature) {
			return "signature-invalid"
		}
		return ""
	}
	order := elliptic.P256().Params().N
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	for _, n := range []*big.Int{r, s} {
		if n.Sign() == 0 || n.Cmp(order) >= 0 {
			return "signature-invalid"
		}
	}
	if s.Cmp(new(big.Int).Rsh(order, 1)) > 0 {
		return "signature-high-s"
	}
	hash := sha256.Sum256(message)
	if !ecdsa.Verify(key.p256, hash[:], r, s) {
		return "signature-invalid"
	}
	return ""
}
