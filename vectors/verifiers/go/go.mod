module ruleprint/verifier

go 1.26
