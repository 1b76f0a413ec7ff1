/**
 * Decisions: beside what a user would pick instead, over growing numbers of rules, and what the audit event adds.
 * @module
 */
import type { Policy } from '../src/index.js';
import {
  agreementRequests,
  type BenchPolicy,
  type BenchRequest,
  requestKinds,
  starsInFrontPolicy,
  starsInFrontRequest,
  tenantPolicy,
  tenantRequests,
} from './fixtures.js';
import type { Bench } from './main.js';
import type { Built } from './peers.js';

const sizes = [10, 100, 1_000, 10_000];
const comparedSize = 100;

type Rival = Built & { readonly name: string };

export async function benchDecide(bench: Bench): Promise<void> {
  for (const size of sizes) await decideOver(size, bench);
  engineBesideDecide(bench);
  starsInFront(bench);
  fromText(bench);
}

async function decideOver(size: number, { library, report, peers, full }: Bench): Promise<void> {
  const { parsePolicy, decide } = library;
  const plain = tenantPolicy(size);
  const policy = parsePolicy(JSON.stringify(plain), { format: 'json' });
  const rivals: Rival[] = [];
  if (full || size === comparedSize) for (const { name, build } of peers) rivals.push({ name, ...(await build(plain)) });
  if (rivals.length > 0) assertAgreement(plain, (request) => decide(policy, request).effect, rivals, report.note.bind(report));

  const byKind = tenantRequests(plain);
  const all = requestKinds.map((kind) => byKind[kind]);
  for (const kind of [...requestKinds, 'mix'] as const) {
    const asked = kind === 'mix' ? all : [byKind[kind]];
    const cycle = asked.length; // four or one: call i takes request i & last
    const last = cycle - 1;
    report.race({
      id: `decide/${size}/${kind}`,
      title: `decide, ${size.toLocaleString('en')} rules, ${kind === 'mix' ? 'the four in turn' : kind}`,
      contenders: [
        { name: 'ruleprint', cycle, run: (i) => decide(policy, asked[i & last] as BenchRequest) },
        ...rivals.map(({ name, prepare, decide: judge }) => {
          const prepared = asked.map(prepare);
          return { name, cycle, run: (i: number) => judge(prepared[i & last]) };
        }),
      ],
      // the mix is what is promised; the single kinds show where the time goes
      targets: kind === 'mix' && size === comparedSize ? Object.fromEntries(rivals.map(({ name }) => [name, { moreThan: 1 }])) : {},
    });
  }
}

/** Who decides otherwise does other work, so nothing is timed before all agree. */
function assertAgreement(plain: BenchPolicy, ours: (request: BenchRequest) => string, rivals: readonly Rival[], note: (text: string) => void): void {
  const { length } = plain.rules;
  // the slowest peer needs a seventh of a second for one decision over 10,000 rules
  const asked = [...Object.values(tenantRequests(plain)), ...agreementRequests(plain, length > 1_000 ? 20 : 500)];
  for (const request of asked) {
    const effect = ours(request);
    for (const { name, prepare, decide } of rivals) {
      const verdict = decide(prepare(request));
      if (verdict !== effect) throw new Error(`${name} says ${verdict}, ruleprint says ${effect}: ${JSON.stringify(request)}`);
    }
  }
  note(`${length.toLocaleString('en')} rules: ${rivals.map(({ name }) => name).join(', ')} and ruleprint agree on ${asked.length} requests.`);
}

function engineBesideDecide({ library, report }: Bench): void {
  const { parsePolicy, decide, InMemoryPolicyEngine } = library;
  const plain = tenantPolicy(comparedSize);
  const policy = parsePolicy(JSON.stringify(plain), { format: 'json' });
  const byKind = tenantRequests(plain);
  const asked = requestKinds.map((kind) => byKind[kind]);
  const cycle = asked.length;
  const next = (i: number): BenchRequest => asked[i % cycle] as BenchRequest;
  const engine = new InMemoryPolicyEngine({ engineId: 'bench' });
  engine.install(policy);
  report.race({
    id: `engine/${comparedSize}`,
    title: `engine, ${comparedSize} rules, the four in turn`,
    contenders: [
      { name: 'decide', cycle, run: (i) => decide(policy, next(i)) },
      { name: 'engine.evaluate', cycle, run: (i) => engine.evaluate(next(i)) },
      { name: 'engine.evaluateTraced', cycle, run: (i) => engine.evaluateTraced(next(i)) },
    ],
  });
}

function starsInFront({ library, report }: Bench): void {
  const { parsePolicy, decide } = library;
  const policyOf = (size: number): Policy => parsePolicy(JSON.stringify(starsInFrontPolicy(size)), { format: 'json' });
  const [few, many] = [policyOf(100), policyOf(1_000)];
  report.race({
    id: 'decide/stars-in-front',
    title: 'decide, all rules begin with **, none covers',
    contenders: [
      { name: '100 rules', run: () => decide(few, starsInFrontRequest) },
      { name: '1,000 rules', run: () => decide(many, starsInFrontRequest) },
    ],
  });
}

function fromText({ library, report }: Bench): void {
  const { parsePolicy, decide } = library;
  for (const size of [100, 10_000]) {
    const plain = tenantPolicy(size);
    const text = JSON.stringify(plain);
    const { 'no rule': request } = tenantRequests(plain);
    let fresh: Policy[] = [];
    report.race({
      id: `load/${size}`,
      title: `from text to the first decision, ${size.toLocaleString('en')} rules`,
      contenders: [
        { name: 'JSON.parse', run: () => JSON.parse(text) },
        { name: 'parsePolicy', run: () => parsePolicy(text, { format: 'json' }) },
        {
          name: 'first decide',
          prepare: (calls) => {
            fresh = Array.from({ length: calls }, () => parsePolicy(text, { format: 'json' }));
          },
          run: (i) => decide(fresh[i], request),
        },
      ],
    });
  }
}
