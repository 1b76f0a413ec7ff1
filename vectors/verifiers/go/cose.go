// COSE_Sign1 (spec/receipt.md, steps 1 to 7 of the verifier, and the COSE layer alone).
package main

import "slices"

const maxReceiptBytes = 1048576 // RCP-12

const receiptType = "application/ruleprint+cose"

// Message is a COSE_Sign1 that has passed the steps 1 to 7.
type Message struct {
	Alg              int64
	Kid              []byte
	Protected        []byte
	Payload          []byte
	PayloadAt, EndAt int // of the payload's content in the bytes
	Signature        []byte
}

var keyAlgorithm = map[int64]string{-19: "Ed25519", -9: "ESP256", -8: "Ed25519", -7: "ESP256"}

// coseRules is what the steps 1 to 7 ask of a header; a receipt and the layer alone differ here.
type coseRules struct {
	also     []string // EdDSA, ES256
	anyKid   bool     // at least one byte in place of 32
	typ      string   // the type that has to be there; "" is that none may be
	maxBytes int
}

func receiptRules(also []string) coseRules {
	return coseRules{also: also, typ: receiptType, maxBytes: maxReceiptBytes}
}

// readMessage runs the steps 1 to 7 over data[from:to]. Offsets count from the beginning of data.
func readMessage(data []byte, from, to int, rules coseRules) (*Message, *Problem) {
	refuse := func(code code) (*Message, *Problem) { return nil, &Problem{Code: code} }
	place := func(problem *cborProblem) (*Message, *Problem) {
		return nil, &Problem{Code: problem.code, Offset: &problem.offset}
	}
	if to-from > rules.maxBytes { // RCP-12
		return refuse("limit")
	}
	if to == from {
		return place(&cborProblem{"cbor-truncated", from})
	}
	if data[from] != 0xd2 { // RCP-13
		return place(&cborProblem{"cose-tag", from})
	}
	outer, problem := walkItem(data, from+1, to) // RCP-14
	if problem != nil {
		return place(problem)
	}
	var majors []int // RCP-15
	for _, part := range outer.Items {
		majors = append(majors, part.Major)
	}
	if outer.Major != majorArray || !slices.Equal(majors, []int{majorBytes, majorMap, majorBytes, majorBytes}) {
		return refuse("cose-shape")
	}
	protected, unprotected, payload, signature := outer.Items[0], outer.Items[1], outer.Items[2], outer.Items[3]
	if len(protected.Bytes) == 0 { // RCP-16
		return refuse("cose-protected")
	}
	header, problem := walkItem(data, protected.Content, protected.Content+len(protected.Bytes))
	if problem != nil {
		return place(problem)
	}
	if header.Major != majorMap {
		return refuse("cose-protected")
	}
	// RCP-17, in its order
	if header.get(2) != nil || unprotected.get(2) != nil {
		return refuse("cose-crit")
	}
	for _, e := range header.Entries {
		if e.Key.Major == majorText || !slices.Contains([]int64{1, 4, 16}, e.Key.Integer) {
			return refuse("cose-header")
		}
	}
	if len(unprotected.Entries) > 0 {
		return refuse("cose-header")
	}
	alg, kid, typ := header.get(1), header.get(4), header.get(16)
	if alg == nil || alg.Major != majorNegative || !rules.takes(alg.Integer) {
		return refuse("cose-alg")
	}
	if kid == nil || kid.Major != majorBytes || len(kid.Bytes) == 0 || !rules.anyKid && len(kid.Bytes) != 32 {
		return refuse("cose-kid")
	}
	if rules.typ == "" && typ != nil || rules.typ != "" && (typ == nil || typ.Major != majorText || typ.Text != rules.typ) {
		return refuse("cose-typ")
	}
	if len(signature.Bytes) != 64 { // RCP-18
		return refuse("cose-signature-size")
	}
	return &Message{
		Alg: alg.Integer, Kid: kid.Bytes, Protected: protected.Bytes, Signature: signature.Bytes,
		Payload: payload.Bytes, PayloadAt: payload.Content, EndAt: payload.Content + len(payload.Bytes),
	}, nil
}

func (rules coseRules) takes(alg int64) bool {
	switch alg {
	case -19, -9:
		return true
	case -8:
		return slices.Contains(rules.also, "EdDSA")
	case -7:
		return slices.Contains(rules.also, "ES256")
	}
	return false
}

func sigStructure(protected, externalData, payload []byte) []byte {
	return encode([]any{"Signature1", protected, externalData, payload})
}

// signed is the Sig_structure, whose hash is the receipt hash (RCP-4).
func (m *Message) signed(externalData []byte) []byte {
	return sigStructure(m.Protected, externalData, m.Payload)
}

func (m *Message) hash() string { return hashOf(m.signed(nil)) }

// verify is step 9 behind the look-up of the key (RCP-20).
func (m *Message) verify(key *PublicKey, externalData []byte) code {
	if keyAlgorithm[m.Alg] != key.Alg {
		return "cose-alg-key"
	}
	return key.verifySignature(m.signed(externalData), m.Signature)
}
