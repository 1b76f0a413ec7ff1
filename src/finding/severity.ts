/**
 * How bad and how sure (spec/finding.md, "The model"). Which severities block is for whoever calls.
 * @module
 */

/** In ascending order. */
export const severities = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const confidences = ['low', 'medium', 'high'] as const;
export type Confidence = (typeof confidences)[number];

/** Whether a severity reaches a threshold. */
export function reaches(severity: Severity, threshold: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(threshold);
}
