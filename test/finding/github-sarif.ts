/**
 * What GitHub code scanning and the text of SARIF 2.1.0 ask of a log beyond its schema, as a list of what is wrong.
 * @module
 */

interface Text {
  readonly text?: string;
}

interface Location {
  readonly physicalLocation?: {
    readonly artifactLocation?: { readonly uri?: string; readonly uriBaseId?: string };
    readonly region?: { readonly startLine?: number; readonly startColumn?: number; readonly endLine?: number; readonly endColumn?: number };
  };
}

export interface SarifRule {
  readonly id: string;
  readonly shortDescription?: Text;
  readonly fullDescription?: Text;
  readonly help?: Text;
  readonly helpUri?: string;
  readonly properties?: { readonly tags?: readonly string[]; readonly precision?: string; readonly 'security-severity'?: string };
}

export interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly kind?: string;
  readonly message: Text;
  readonly locations: readonly Location[];
  readonly partialFingerprints?: Readonly<Record<string, string>>;
  readonly fingerprints?: unknown;
  readonly baselineState?: string;
  readonly suppressions?: readonly { readonly kind: string; readonly justification?: string }[];
  readonly properties: { readonly ruleprint: Readonly<Record<string, unknown>> & { readonly id: string } };
}

export interface SarifLog {
  readonly $schema?: string;
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly name: string; readonly semanticVersion?: string; readonly rules: readonly SarifRule[] } };
    readonly automationDetails?: { readonly id?: string };
    readonly results: readonly SarifResult[];
  }[];
}

export function sarifFaults(text: string): string[] {
  const log = JSON.parse(text) as SarifLog;
  const faults: string[] = [];
  const demand = (good: boolean, fault: string): void => void (good || faults.push(fault));
  demand(log.$schema?.includes('sarif-2.1.0') === true, '$schema');
  demand(log.version === '2.1.0', 'version');
  demand(log.runs.length === 1, 'one run');
  for (const { tool, results } of log.runs) {
    const { rules } = tool.driver;
    demand(tool.driver.name !== '', 'driver name');
    demand(rules.length <= 25_000 && results.length <= 25_000, 'numbers of rules and results');
    demand(new Set(rules.map(({ id }) => id)).size === rules.length, 'a rule twice');
    for (const rule of rules) {
      demand(isShort(rule.shortDescription) && isShort(rule.fullDescription), `${rule.id}: descriptions`);
      demand((rule.help?.text ?? '') !== '' && rule.id.length <= 255, `${rule.id}: help`);
      demand((rule.properties?.tags ?? []).length <= 10, `${rule.id}: tags`);
      demand(/^(very-high|high|medium|low)$/.test(rule.properties?.precision ?? ''), `${rule.id}: precision`);
      const score = rule.properties?.['security-severity'];
      demand(score === undefined || (Number(score) > 0 && Number(score) <= 10), `${rule.id}: security-severity`);
    }
    demand(oneForAll(results.map((result) => 'baselineState' in result)), 'baselineState on some results');
    demand(oneForAll(results.map((result) => 'suppressions' in result)), 'suppressions on some results');
    const prints = results.map(({ ruleId, partialFingerprints }) => `${ruleId} ${partialFingerprints?.['primaryLocationLineHash']}`);
    demand(new Set(prints).size === prints.length, 'a fingerprint twice');
    for (const [i, result] of results.entries()) {
      demand(rules[result.ruleIndex]?.id === result.ruleId, `result ${i}: ruleIndex`);
      demand((result.message.text ?? '') !== '', `result ${i}: message`);
      demand(!/\[[^\]]*\]\([^)]*\)/.test(result.message.text ?? ''), `result ${i}: a link in the message`);
      demand(/^(note|warning|error)$/.test(result.level) && result.kind === undefined, `result ${i}: level`);
      demand(result.fingerprints === undefined && (result.partialFingerprints?.['primaryLocationLineHash'] ?? '') !== '', `result ${i}: fingerprints`);
      demand(result.locations.length >= 1 && result.locations.length <= 1_000, `result ${i}: locations`);
      for (const { physicalLocation } of result.locations) {
        const uri = physicalLocation?.artifactLocation?.uri ?? '';
        demand(uri !== '' && !/^\/|^[A-Za-z][A-Za-z0-9+.-]*:|(^|\/)\.\.?(\/|$)|\\/.test(uri), `result ${i}: uri ${uri}`);
        demand(/^(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})+$/.test(uri), `result ${i}: uri ${uri}`);
        const { startLine = 0, startColumn = 0, endLine = 0, endColumn = 0 } = physicalLocation?.region ?? {};
        demand(startLine >= 1 && startColumn >= 1 && endColumn >= 1, `result ${i}: region`);
        demand(endLine > startLine || (endLine === startLine && endColumn >= startColumn), `result ${i}: region runs backward`);
      }
    }
  }
  return faults;
}

function isShort(description: Text | undefined): boolean {
  const length = description?.text?.length ?? 0;
  return length > 0 && length <= 1_024;
}

function oneForAll(answers: readonly boolean[]): boolean {
  return answers.every((answer) => answer === answers[0]);
}
