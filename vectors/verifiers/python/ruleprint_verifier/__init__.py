"""A verifier of ruleprint receipts and ledgers, written from spec/ and checked against vectors/."""
