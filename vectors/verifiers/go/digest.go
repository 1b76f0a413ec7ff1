// Digests (spec/digest.md): the preimage byte by byte.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// field is the byte length in four bytes, then the bytes (DIG-6).
func field(out []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32(out, uint32(len(text))), text...)
}

// oneOf is a set, sorted by UTF-8 bytes (DIG-2); Go compares strings by their bytes.
func oneOf(out []byte, tag string, any bool, items []string) []byte {
	if any {
		return field(out, tag+":any")
	}
	out = field(out, tag+":one_of")
	out = binary.BigEndian.AppendUint32(out, uint32(len(items)))
	for _, item := range slices.Sorted(slices.Values(items)) {
		out = field(out, item)
	}
	return out
}

func (rule *Rule) appendTo(out []byte) []byte {
	out = field(out, rule.Name)
	out = field(out, rule.Effect)
	out = oneOf(out, "agents", rule.AnyAgent, rule.Agents)
	out = field(out, "action:"+rule.Kind) // DIG-5
	switch rule.Kind {
	case "filesystem":
		out = field(out, rule.Path) // DIG-7
		out = oneOf(out, "methods", rule.AnyMethod, rule.Methods)
	case "network":
		out = field(out, rule.Host)
		if rule.AnyPort {
			out = field(out, "ports:any")
		} else { // DIG-3: as written
			out = field(out, "ports:range")
			out = binary.BigEndian.AppendUint32(out, uint32(rule.From))
			out = binary.BigEndian.AppendUint32(out, uint32(rule.To))
		}
		out = oneOf(out, "methods", rule.AnyMethod, rule.Methods)
	case "process":
		out = binary.BigEndian.AppendUint32(out, uint32(len(rule.Argv)))
		for _, arg := range rule.Argv {
			out = field(out, arg)
		}
	case "tool":
		out = field(out, rule.Server)
		out = field(out, rule.Tool)
	}
	return out
}

// preimage has the rules in the order of the policy (DIG-1), and no version (DIG-4).
func (policy *Policy) preimage() []byte {
	out := field(nil, "ruleprint/policy-digest/1")
	out = binary.BigEndian.AppendUint32(out, uint32(len(policy.Rules)))
	for _, rule := range policy.Rules {
		out = rule.appendTo(out)
	}
	return out
}

func (policy *Policy) digest() string { return hashOf(policy.preimage()) }

func (rule *Rule) preimage() []byte { return rule.appendTo(field(nil, "ruleprint/rule-digest/1")) }

func hashOf(bytes []byte) string {
	sum := sha256.Sum256(bytes)
	return "sha256:" + hex.EncodeToString(sum[:])
}
