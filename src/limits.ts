/**
 * Named limits (spec/policy.md, spec/decision.md, spec/receipt.md). Lengths of text are in UTF-8 bytes.
 * @module
 */
export const limits = Object.freeze({
  rules: 100_000,
  ruleStringBytes: 4_096,
  /** ids of one `one_of`, and methods of one list */
  listItems: 10_000,
  /** items of argv, in a rule and in a request */
  argvItems: 256,
  actions: 64,
  /** a host that a person typed */
  asciiHostBytes: 1_024,
  /** problems that are reported of one document, object or statement */
  problems: 100,
  /** problems that are listed of many receipts */
  reportedProblems: 10_000,
  requestStringBytes: 65_536,
  requestBytes: 524_288,
  jsonBytes: 67_108_864,
  yamlBytes: 4_194_304,
  documentDepth: 32,
  /** the RFC 8785 form of a call's arguments, or of a mapping */
  argsBytes: 16_777_216,
  /** rows of a tool in a mapping table, and names of its arguments in a list */
  mappedRows: 64,
  receiptBytes: 1_048_576,
  /** a receipt inside another */
  recordedBytes: 786_432,
  /** nesting of arrays and maps in a receipt */
  receiptDepth: 8,
  /** pieces of evidence of one finding: GitHub takes as many locations of a result */
  evidence: 1_000,
  /** hops of one capability path */
  hops: 1_000,
  /** tags of one rule: GitHub shows as many */
  ruleTags: 10,
  semanticVersionBytes: 255,
  documentationUrlBytes: 2_048,
  /** findings of one report that is read */
  findings: 1_000_000,
  /** what GitHub takes of one SARIF run */
  sarifResults: 25_000,
  sarifRules: 25_000,
  /** characters of a rule's title and help */
  sarifDescription: 1_024,
  /** epochs that one bound is computed for */
  trials: 10_000,
  treeFiles: 10_000,
  treePathBytes: 1_024,
  treeFileBytes: 16_777_216,
  treeBytes: 67_108_864,
  /** characters that are looked at for the canaries of one epoch, those of decoded texts included */
  ladderCharacters: 4_194_304,
  /** the recorded lines of one epoch */
  transcriptBytes: 67_108_864,
});
