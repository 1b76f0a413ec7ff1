// A verifier of ruleprint receipts and ledgers, written from the specification alone.
//
//	verify VECTORS_DIR                                  runs all vectors
//	ledger FOLDER TRUST.json [--checkpoint FILE]...     verifies a ledger folder
package main

import (
	"fmt"
	"os"
)

func main() {
	good, err := command(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !good {
		os.Exit(1)
	}
}

func command(args []string) (bool, error) {
	switch {
	case len(args) == 2 && args[0] == "verify":
		return runVectors(args[1]), nil
	case len(args) >= 3 && len(args)%2 == 1 && args[0] == "ledger":
		var checkpoints []string
		for i := 3; i < len(args); i += 2 {
			if args[i] != "--checkpoint" {
				return false, fmt.Errorf("%s is no option", args[i])
			}
			checkpoints = append(checkpoints, args[i+1])
		}
		return verifyFolder(args[1], args[2], checkpoints)
	}
	return false, fmt.Errorf("usage: verify VECTORS_DIR | ledger FOLDER TRUST.json [--checkpoint FILE]...")
}
