// The folder of a ledger (spec/ledger.md, The folder).
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// verifyFolder reads a ledger folder, a trust store and checkpoints, and prints the report as a line of JSON.
func verifyFolder(folder, trustFile string, checkpointFiles []string) (bool, error) {
	options := &LedgerOptions{Folder: true}
	options.Policies = map[string]*Policy{}
	text, err := os.ReadFile(trustFile)
	if err != nil {
		return false, err
	}
	trust, problems := parseTrustStore(text)
	if trust == nil {
		return false, refusal{trustFile, problems}
	}
	options.Trust = trust
	for _, file := range checkpointFiles {
		data, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		options.Checkpoints = append(options.Checkpoints, data)
	}
	if err := readPolicies(folder, options); err != nil {
		return false, err
	}
	if options.Durable, err = readDurable(folder); err != nil {
		return false, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "segment-*.cbor"))
	if err != nil {
		return false, err
	}
	var segments [][]byte
	for _, file := range slices.Sorted(slices.Values(files)) {
		data, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		segments = append(segments, data)
	}
	report := verifyLedger(segments, options)
	return report.OK, printReport(report)
}

// readPolicies: the folder's own policies count (LED-15), by the digest that they have.
func readPolicies(folder string, options *LedgerOptions) error {
	files, err := filepath.Glob(filepath.Join(folder, "policies", "*.json"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		policy, problems := parsePolicy(text)
		if policy == nil { // no policy: what cites it is policy-missing
			fmt.Fprintln(os.Stderr, refusal{file, problems})
			continue
		}
		options.PoliciesGiven = true
		options.Policies[policy.digest()] = policy
	}
	return nil
}

// readDurable reads durable.json. One that cannot be read names an entry that nobody has: tail-missing.
func readDurable(folder string) (*Durable, error) {
	file := filepath.Join(folder, "durable.json")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	value, problems := readJSON(text, true)
	d := &door{problems: problems}
	durable := &Durable{Seq: -1}
	if value != nil && d.object(value, "", []string{"segment", "start", "offset", "seq", "hash"}, nil) {
		seq := d.integer(value.get("seq"), "/seq", 0, maxInteger)
		hash, _ := d.text(value.get("hash"), "/hash", checkName)
		if len(d.problems) == 0 {
			durable = &Durable{seq, hash}
		}
	}
	if len(d.problems) > 0 {
		fmt.Fprintln(os.Stderr, refusal{file, d.problems})
	}
	return durable, nil
}

// refusal is a file that is refused, with its first problem.
type refusal struct {
	file     string
	problems []Problem
}

func (r refusal) Error() string { return r.file + ": " + r.problems[0].String() }

func printReport(report *Report) error {
	type line struct {
		Axis   string `json:"axis"`
		Code   string `json:"code"`
		Status string `json:"status"`
		Engine string `json:"engine,omitempty"`
		Seq    *int64 `json:"seq,omitempty"`
	}
	problems := []line{}
	for _, p := range report.Problems {
		problems = append(problems, line{p.Axis, p.Code, p.Status, p.Engine, p.Seq})
	}
	return json.NewEncoder(os.Stdout).Encode(struct {
		OK       bool              `json:"ok"`
		Axes     map[string]string `json:"axes"`
		Problems []line            `json:"problems"`
	}{report.OK, report.Axes, problems})
}
