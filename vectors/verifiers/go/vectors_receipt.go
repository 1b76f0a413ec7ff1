// The vectors of receipts and ledgers (receipt.json, ledger.json).
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
)

func checkReceiptCase(input, expect *Value) string {
	switch {
	case input.get("label") != nil:
		return checkDerivedKey(input, expect)
	case input.get("public_key_jwk") != nil:
		return checkKey(expect)(keyFromJWK(input.get("public_key_jwk")))
	case input.get("public_key_pem") != nil:
		return checkKey(expect)(keyFromPEM(input.get("public_key_pem").Text))
	case input.get("public_key_cose_hex") != nil:
		return checkKey(expect)(keyFromCOSE(hexBytes(input.get("public_key_cose_hex"))))
	case input.get("statement") != nil:
		return checkMade(input, expect)
	case input.get("trust_document") != nil:
		return checkStore(input, expect)
	case input.get("cose_hex") != nil:
		return checkLayer(input, expect)
	}
	options, problems := optionsOf(input)
	if problems != nil {
		return fmt.Sprint("the trust store or a policy is refused: ", problems)
	}
	if sequence := input.get("sequence_hex"); sequence != nil {
		return sameReport(expect, verifyLedger([][]byte{hexBytes(sequence)}, &LedgerOptions{Options: *options}))
	}
	return sameReport(expect, verifyReceipt(hexBytes(input.get("receipt_hex")), options))
}

// optionsOf reads what a verifier is given beside the bytes.
func optionsOf(input *Value) (*Options, []Problem) {
	trust, problems := judgeTrustStore(input.get("trust"))
	if trust == nil {
		return nil, problems
	}
	options := &Options{
		Trust: trust, Policies: map[string]*Policy{},
		Require: texts(input.get("require")), Also: texts(input.get("also_algorithms")),
	}
	if policies := input.get("policies"); policies != nil {
		options.PoliciesGiven = true
		for _, each := range policies.Items {
			policy, problems := judgePolicy(each)
			if policy == nil {
				return nil, problems
			}
			options.Policies[policy.digest()] = policy
		}
	}
	return options, nil
}

// sameReport compares the axes that the case names, and the problems.
func sameReport(expect *Value, report *Report) string {
	same := expect.get("ok").Bool == report.OK && sameProblems(expect.get("problems").Items, report.Problems)
	for _, m := range expect.get("axes").Members {
		same = same && m.Value.Text == report.Axes[m.Key]
	}
	if same {
		return ""
	}
	axes := ""
	for _, axis := range allAxes {
		axes += " " + axis + "=" + report.Axes[axis]
	}
	return fmt.Sprintf("ok=%v%s %v", report.OK, axes, report.Problems)
}

// --- Keys and receipts made

func secretOf(label string) []byte {
	sum := sha256.Sum256([]byte(label))
	return sum[:]
}

// keyOfLabel is the public key whose secret is the SHA-256 of a published sentence.
func keyOfLabel(alg, label string) (*PublicKey, code) {
	secret := secretOf(label)
	if alg == "Ed25519" {
		public := ed25519.NewKeyFromSeed(secret).Public().(ed25519.PublicKey)
		return newKey(alg, public, nil)
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
	if err != nil {
		return nil, "key-format"
	}
	point, err := private.PublicKey.Bytes()
	if err != nil {
		return nil, "key-format"
	}
	return newKey(alg, point[1:33], point[33:])
}

func checkDerivedKey(input, expect *Value) string {
	key, problem := keyOfLabel(input.get("alg").Text, input.get("label").Text)
	if problem != "" {
		return problem
	}
	found := map[string]string{
		"d_hex": hex.EncodeToString(secretOf(input.get("label").Text)),
		"x_hex": hex.EncodeToString(key.X), "y_hex": hex.EncodeToString(key.Y),
		"thumbprint_input_hex": hex.EncodeToString(key.thumbprintInput()), "kid": hex.EncodeToString(key.Kid),
	}
	for _, m := range expect.Members {
		if m.Key != "jwk" && found[m.Key] != m.Value.Text {
			return m.Key + " " + found[m.Key]
		}
	}
	fromJWK, problem := keyFromJWK(expect.get("jwk"))
	if problem != "" || !slices.Equal(fromJWK.Kid, key.Kid) {
		return "another key in the JWK"
	}
	return differ(expect.get("jwk").get("x"), base64.RawURLEncoding.EncodeToString(key.X))
}

func checkKey(expect *Value) func(*PublicKey, code) string {
	return func(key *PublicKey, problem code) string {
		if problem != "" || expect.get("error") != nil {
			return differ(expect.get("error"), problem)
		}
		if got := differ(expect.get("alg"), key.Alg); got != "" {
			return got
		}
		return differ(expect.get("kid"), hex.EncodeToString(key.Kid))
	}
}

// sign is RFC 8032, or RFC 6979 with low s (RCP-5).
func sign(alg, label string, message []byte) []byte {
	if alg == "Ed25519" {
		return ed25519.Sign(ed25519.NewKeyFromSeed(secretOf(label)), message)
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secretOf(label))
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256(message)
	der, err := private.Sign(nil, hash[:], crypto.SHA256) // without randomness it is RFC 6979
	if err != nil {
		panic(err)
	}
	var rs struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &rs); err != nil {
		panic(err)
	}
	order := elliptic.P256().Params().N
	if rs.S.Cmp(new(big.Int).Rsh(order, 1)) > 0 {
		rs.S.Sub(order, rs.S)
	}
	out := make([]byte, 64)
	rs.R.FillBytes(out[:32])
	rs.S.FillBytes(out[32:])
	return out
}

// makeReceipt makes a receipt of a payload: protected header, Sig_structure, signature and message.
func makeReceipt(alg, label string, payload []byte) (protected, structure, signature, message []byte) {
	key, problem := keyOfLabel(alg, label)
	if problem != "" {
		panic(problem)
	}
	number := -19
	if alg == "ESP256" {
		number = -9
	}
	protected = encode([]pair{{1, number}, {4, key.Kid}, {16, receiptType}})
	structure = sigStructure(protected, nil, payload)
	signature = sign(alg, label, structure)
	message = append([]byte{0xd2}, encode([]any{protected, []pair{}, payload, signature})...)
	return protected, structure, signature, message
}

// statementValue writes a statement in JSON as the CBOR writer takes it.
func statementValue(v *Value) any {
	if v.Kind == jsonList {
		out := []any{}
		for _, item := range v.Items {
			out = append(out, statementValue(item))
		}
		return out
	}
	if v.Kind == jsonObject {
		out := []pair{}
		for _, m := range v.Members {
			out = append(out, pair{m.Key, statementValue(m.Value)})
		}
		return out
	}
	return cborValue(v)
}

func checkMade(input, expect *Value) string {
	alg, label := input.get("key").get("alg").Text, input.get("key").get("label").Text
	payload := encode(statementValue(input.get("statement")))
	protected, structure, signature, message := makeReceipt(alg, label, payload)
	found := map[string]string{
		"protected_hex": hex.EncodeToString(protected), "signed_core_cbor_hex": hex.EncodeToString(payload),
		"sig_structure_hex": hex.EncodeToString(structure), "receipt_hash": hashOf(structure),
		"signature_hex": hex.EncodeToString(signature), "cose_sign1_hex": hex.EncodeToString(message),
	}
	for _, m := range expect.Members {
		if found[m.Key] != m.Value.Text {
			return m.Key + " " + found[m.Key]
		}
	}
	key, _ := keyOfLabel(alg, label)
	read, problem := readMessage(message, 0, len(message), receiptRules(nil))
	if problem != nil {
		return problem.Code
	}
	if _, problems := readStatement(message, read.PayloadAt, read.EndAt); problems != nil {
		return fmt.Sprint(problems)
	}
	return read.verify(key, nil)
}

// --- Trust stores and the COSE layer

func checkStore(input, expect *Value) string {
	store, problems := parseTrustStore([]byte(input.get("trust_document").Text))
	if store == nil {
		return refusedAs(expect, problems)
	}
	if expect.get("error") != nil {
		return "taken"
	}
	expected := expect.get("keys").Items
	if len(expected) != len(store.Keys) || expect.get("require_installer").Bool != store.RequireInstaller {
		return fmt.Sprint(len(store.Keys), " keys, require_installer ", store.RequireInstaller)
	}
	for i, key := range store.Keys {
		if expected[i].get("role").Text != key.Role || expected[i].get("kid").Text != hex.EncodeToString(key.Kid) {
			return fmt.Sprintf("key %d: %s %x", i, key.Role, key.Kid)
		}
	}
	return ""
}

func checkLayer(input, expect *Value) string {
	data := hexBytes(input.get("cose_hex"))
	rules := coseRules{anyKid: true, maxBytes: maxReceiptBytes}
	if typ := input.get("typ"); typ != nil {
		rules.typ = typ.Text
	}
	message, problem := readMessage(data, 0, len(data), rules)
	if problem != nil {
		return differ(expect.get("error"), problem.Code)
	}
	refused := "key-unknown"
	var key *PublicKey
	for _, each := range input.get("keys").Items {
		if slices.Equal(hexBytes(each.get("kid_hex")), message.Kid) {
			var bad code
			if key, bad = keyFromJWK(each.get("jwk")); key == nil {
				return bad
			}
			refused = message.verify(key, hexBytes(input.get("external_aad_hex")))
		}
	}
	if refused != "" || expect.get("error") != nil {
		return differ(expect.get("error"), refused)
	}
	found := map[string]string{
		"alg": key.Alg, "kid_hex": hex.EncodeToString(message.Kid), "payload_hex": hex.EncodeToString(message.Payload),
		"hash": hashOf(message.signed(hexBytes(input.get("external_aad_hex")))),
	}
	for _, m := range expect.Members {
		if found[m.Key] != m.Value.Text {
			return m.Key + " " + found[m.Key]
		}
	}
	return ""
}

// --- ledger.json

func checkLedgerCase(input, expect *Value) string {
	options, problems := optionsOf(input)
	if problems != nil {
		return fmt.Sprint("the trust store or a policy is refused: ", problems)
	}
	ledger := &LedgerOptions{Options: *options, Folder: input.get("kind").Text == "folder", Engines: texts(input.get("expect_engines"))}
	if durable := input.get("durable"); durable != nil {
		ledger.Durable = &Durable{integer(durable.get("seq")), durable.get("hash").Text}
	}
	if args := input.get("args"); args != nil {
		ledger.Arguments = map[string]*Value{}
		for _, each := range args.Items {
			ledger.Arguments[each.get("receipt").Text] = each.get("arguments")
		}
	}
	if checkpoints := input.get("checkpoints_hex"); checkpoints != nil {
		for _, each := range checkpoints.Items {
			ledger.Checkpoints = append(ledger.Checkpoints, hexBytes(each))
		}
	}
	var segments [][]byte
	for _, segment := range input.get("segments_hex").Items {
		var data []byte
		for _, entry := range segment.Items {
			data = append(data, hexBytes(entry)...)
		}
		segments = append(segments, data)
	}
	return sameReport(expect, verifyLedger(segments, ledger))
}
