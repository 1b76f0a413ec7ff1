// Limits that the vectors do not ask (POL-17, RCP-19).
package main

import (
	"strings"
	"testing"
)

func TestAtMost(t *testing.T) {
	fields := []pair{{"statement", "genesis"}}
	for i := 0; i < 300; i++ {
		fields = append(fields, pair{"k" + strings.Repeat("x", i), 1})
	}
	payload := encode(fields)
	_, problems := readStatement(payload, 0, len(payload))
	if len(problems) != 100 {
		t.Error(len(problems))
	}
	_, problems = parseTrustStore([]byte(`{"keys":[` + strings.TrimSuffix(strings.Repeat("1,", 500), ",") + `]}`))
	if len(problems) != 100 || *problems[99].Pointer != "/keys/99" {
		t.Error(len(problems))
	}
	_, problems = parsePolicy([]byte(`{"version":1.0,"rules":[` + strings.TrimSuffix(strings.Repeat("1,", 500), ",") + `]}`))
	if len(problems) != 100 || problems[0].Code != "bad-integer" || *problems[99].Pointer != "/rules/98" {
		t.Error(len(problems), problems[0])
	}
}
