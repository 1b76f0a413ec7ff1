/**
 * What makes a COSE_Sign1 message a receipt (spec/receipt.md, "Layout").
 * @module
 */

/** The `typ` of the protected header (RFC 9596). */
export const receiptType = 'application/ruleprint+cose';

/** The kid is a COSE Key Thumbprint. */
export const receiptProfile = Object.freeze({ typ: receiptType, kidBytes: 32 });
