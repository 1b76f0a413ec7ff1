// What an audit derives (spec/audit-run.md, spec/audit-evidence.md; spec/audit.md, What is audited).
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// scenarioDigest is over the RFC 8785 form of the document (AUR-17).
func scenarioDigest(form string) string {
	return hashOf(fieldAll(nil, "ruleprint/scenario-digest/1", form))
}

// agentDigest names an agent by what the operator tells it (AUD-18).
func agentDigest(name, prompt string) string {
	return hashOf(fieldAll(nil, "ruleprint/agent-digest/1", name, prompt))
}

// epochSeed is AUR-10.
func epochSeed(seed []byte, epoch uint32) int64 {
	preimage := append(field(nil, "ruleprint/epoch-seed/1"), seed...)
	digest := sha256.Sum256(binary.BigEndian.AppendUint32(preimage, epoch))
	return int64(binary.BigEndian.Uint32(digest[:4]) >> 1)
}

// schedule is the index of the cell of each epoch, from the numbers of epochs of the cells: in rounds (AUR-16).
func schedule(cells []int64) (order []int64) {
	for round, left := int64(0), true; left; round++ {
		left = false
		for index, epochs := range cells {
			if round < epochs {
				order, left = append(order, int64(index)), true
			}
		}
	}
	return order
}

// transcriptsRoot is the tree hash of RFC 9162 over digests (AUE-18).
func transcriptsRoot(digests []string) string {
	var leaves [][]byte
	for _, digest := range digests {
		leaf, _ := hex.DecodeString(strings.TrimPrefix(digest, "sha256:"))
		leaves = append(leaves, leaf)
	}
	return "sha256:" + hex.EncodeToString(treeHash(leaves))
}

func treeHash(leaves [][]byte) []byte {
	var preimage []byte
	switch len(leaves) {
	case 0:
	case 1:
		preimage = append([]byte{0}, leaves[0]...)
	default:
		left := 1
		for left*2 < len(leaves) {
			left *= 2
		}
		preimage = append(append([]byte{1}, treeHash(leaves[:left])...), treeHash(leaves[left:])...)
	}
	hash := sha256.Sum256(preimage)
	return hash[:]
}

// saidWords are what the agent said and did, with slots in the places of planted values (AUE-20). canaries are in the order
// of the transcript's head: slot and value.
func saidWords(messages []*Value, canaries [][2]string) string {
	var said []string
	for _, message := range messages {
		if message.get("role").Text != "assistant" {
			continue
		}
		thoughts := ""
		if reasoning := message.get("reasoning"); reasoning != nil {
			thoughts = reasoning.Text
		}
		var calls []string
		if made := message.get("calls"); made != nil {
			for _, call := range made.Items {
				calls = append(calls, "["+stringified(call.get("name").Text)+","+stringified(call.get("raw").Text)+"]")
			}
		}
		said = append(said, "["+stringified(message.get("text").Text)+","+stringified(thoughts)+",["+strings.Join(calls, ",")+"]]")
	}
	words := "[" + strings.Join(said, ",") + "]"
	for _, canary := range canaries {
		words = strings.ReplaceAll(words, canary[1], "{{canary:"+canary[0]+"}}")
	}
	return words
}

// stringified is what JSON.stringify makes of a text: as writeFormText, and half characters, which stand in it as three
// bytes each, are escaped.
func stringified(text string) string {
	var out strings.Builder
	whole := func(part string) {
		var quoted strings.Builder
		writeFormText(&quoted, part)
		out.WriteString(strings.TrimSuffix(strings.TrimPrefix(quoted.String(), `"`), `"`))
	}
	start := 0
	for at := 0; at < len(text); {
		if c, size := utf8.DecodeRuneInString(text[at:]); c != utf8.RuneError || size != 1 {
			at += size
			continue
		}
		whole(text[start:at])
		fmt.Fprintf(&out, `\u%04x`, rune(text[at]&0xf)<<12|rune(text[at+1]&0x3f)<<6|rune(text[at+2]&0x3f))
		at += 3
		start = at
	}
	whole(text[start:])
	return `"` + out.String() + `"`
}
