/**
 * A policy as an organisation would have it: denies for secrets, projects of teams, services, programs, tools, and catch-alls at the end.
 * @module
 */
import { randomFrom, seed } from './fixtures.js';

export interface RealisticRule {
  readonly name: string;
  readonly effect: 'allow' | 'ask' | 'deny';
  readonly agents: 'any' | { readonly one_of: readonly string[] };
  readonly action: object;
}

const secrets = [
  '/**/.ssh/**',
  '/**/.env',
  '/**/.env.*',
  '/**/*.pem',
  '/**/*_rsa',
  '/etc/shadow',
  '/etc/sudoers.d/**',
  '/**/.aws/**',
  '/**/.git/hooks/**',
  '/**/node_modules/**/*.node',
];
const kinds = ['*.ts', '*.md', 'src/**', 'test/**/*.test.ts', 'docs/**/*.md', '**', 'dist/**', 'package.json', '.github/workflows/*.yml'];
const programs = ['git', 'npm', 'node', 'python3', 'make', 'cargo', 'go', 'rg', 'ls', 'kubectl'];
const verbs = ['status', 'log', 'diff', 'show', 'run', 'test', 'build', 'install', 'get', 'describe'];
const servers = ['github', 'files', 'web', 'jira', 'slack', 'postgres'];
const toolVerbs = ['get', 'list', 'search', 'create', 'update', 'delete'];
const toolNouns = ['issue', 'pull_request', 'file', 'comment', 'channel', 'row', 'branch'];

export function realisticPolicy(count: number): { readonly version: number; readonly rules: readonly RealisticRule[] } {
  const random = randomFrom(seed + 7);
  const agents = Array.from({ length: 24 }, (_, i) => `agent-${i}`);
  const actions: object[] = secrets.map((path) => ({ filesystem: { path, methods: 'any' } }));
  while (actions.length < count - 6) {
    const team = random.below(40);
    const project = random.below(12);
    switch (random.below(5)) {
      case 0:
      case 1:
        actions.push({
          filesystem: {
            path: `/srv/team-${team}/project-${project}/${random.pick(kinds)}`,
            methods: random.pick(['any', ['read'], ['read', 'write'], ['write', 'delete']] as const),
          },
        });
        break;
      case 2:
        actions.push({
          network: {
            host: random.pick([`api.svc-${team}.example.com`, `*.svc-${team}.example.com`, `10.${team}.${project}.0/24`, `svc-${project}.internal`]),
            ports: random.pick(['any', { from: 443, to: 443 }, { from: 8000, to: 8100 }] as const),
            methods: random.pick(['any', ['GET'], ['GET', 'POST']] as const),
          },
        });
        break;
      case 3:
        actions.push({
          process: {
            argv: random.pick([
              [random.pick(programs), random.pick(verbs), '**'],
              [random.pick(programs), random.pick(verbs), '--*', `team-${team}`],
              [random.pick(programs), '-*', random.pick(verbs), `*-${team}`, '**'],
            ]),
          },
        });
        break;
      default:
        actions.push({
          tool: {
            server: `${random.pick(servers)}${random.pick(['', '', `-${team}`])}`,
            name: `${random.pick(toolVerbs)}_${random.pick([...toolNouns, '*'])}${random.pick(['', `_${project}`])}`,
          },
        });
    }
  }
  actions.push(
    { filesystem: { path: '/srv/**', methods: ['read'] } },
    { filesystem: { path: '/tmp/**', methods: 'any' } },
    { network: { host: '**', ports: { from: 443, to: 443 }, methods: ['GET'] } },
  );
  actions.push({ process: { argv: ['**'] } }, { tool: { server: '*', name: 'get_*' } }, { tool: { server: '*', name: '*' } });
  return {
    version: 1,
    rules: actions.map((action, i): RealisticRule => {
      const last = i >= count - 6;
      return {
        name: `rule-${i}`,
        effect: i < secrets.length ? 'deny' : last ? random.pick(['allow', 'ask'] as const) : random.pick(['deny', 'ask', 'allow', 'allow'] as const),
        agents: i < secrets.length || last ? 'any' : random.pick(['any', { one_of: [random.pick(agents), `${random.pick(agents)}-b`] }] as const),
        action,
      };
    }),
  };
}
