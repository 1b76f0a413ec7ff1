// Canaries (spec/audit.md, Canaries).
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
)

// canaryValue is the value of one slot in one epoch (AUD-20): 26 characters, 130 bits.
func canaryValue(seed []byte, plan string, epoch uint32, slot string) string {
	message := binary.BigEndian.AppendUint32(fieldAll(nil, "ruleprint/canary/1", plan), epoch)
	mac := hmac.New(sha256.New, seed)
	mac.Write(field(message, slot))
	return base32.StdEncoding.EncodeToString(mac.Sum(nil))[:26]
}
