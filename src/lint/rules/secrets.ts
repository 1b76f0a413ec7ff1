/**
 * Allow rules that reach what no agent should read.
 * @module
 */
import type { CompiledPattern } from '../../decide/covers.js';
import type { Severity } from '../../finding/severity.js';
import { area, lintRule, listed, livingAllows } from '../rule.js';

interface Secret {
  readonly name: string;
  readonly areas: readonly CompiledPattern[];
  readonly severity: Severity;
}

const files = (name: string, severity: Severity, ...paths: readonly string[]): Secret => ({
  name,
  severity,
  areas: paths.map((path) => area({ filesystem: { path, methods: ['read'] } })),
});
/** Services of clouds that hand out credentials to whoever asks, on port 80. */
const metadata = (...hosts: readonly string[]): Secret => ({
  name: 'cloud metadata addresses',
  severity: 'high',
  areas: hosts.map((host) => area({ network: { host, ports: { from: 80, to: 80 }, methods: 'any' } })),
});

const homes = ['/root', '/home/*', '/Users/*'];
/** What lies in the homes of users: elsewhere nobody looks for it. */
const inHomes = (name: string, severity: Severity, ...paths: readonly string[]): Secret =>
  files(name, severity, ...homes.flatMap((home) => paths.map((path) => `${home}/${path}`)));

/**
 * The well-known list (as of 2026-11), each by names that are really met: a pattern such as `report-*` covers no `id_rsa`, and is not blamed for the
 * `report-x.pem` that it would cover.
 */
const secrets: readonly Secret[] = [
  files('/etc/shadow', 'high', '/etc/shadow', '/etc/gshadow', '/etc/master.passwd', '/etc/ssh/ssh_host_rsa_key'),
  inHomes('SSH keys', 'high', '.ssh/id_rsa', '.ssh/id_ed25519', '.ssh/id_ecdsa'),
  inHomes(
    'cloud credentials',
    'high',
    '.aws/credentials',
    '.azure/msal_token_cache.json',
    '.config/gcloud/application_default_credentials.json',
    '.kube/config',
  ),
  inHomes('GnuPG keys', 'high', '.gnupg/secring.gpg', '.gnupg/private-keys-v1.d/0.key'),
  inHomes('tokens of tools', 'high', '.netrc', '.git-credentials', '.docker/config.json', '.config/gh/hosts.yml'),
  files('tokens of package managers', 'medium', '/**/.npmrc', '/**/.pypirc'),
  files('.env files', 'medium', '/**/.env', '/**/.env.local', '/**/.env.production'),
  files('private keys', 'medium', '/**/id_rsa', '/**/id_ed25519', '/**/key.pem', '/**/private.pem', '/**/server.key', '/**/keystore.p12'),
  files('mounted secrets', 'high', '/run/secrets/db_password', '/var/run/secrets/kubernetes.io/serviceaccount/token'),
  files('environments of processes', 'high', '/proc/1/environ', '/proc/self/environ'),
  metadata('169.254.169.254', 'fd00:ec2::254', 'metadata.google.internal', '169.254.170.2', '100.100.100.200', '168.63.129.16'),
];

export const secretsInReach = lintRule({
  id: 'policy.secrets-in-reach',
  title: 'Secrets in reach of an allow rule',
  help: 'The pattern covers places where secrets usually are, and no deny or ask rule stands in front: keys, tokens, .env files, /etc/shadow, the metadata addresses of clouds. The request that was found is really allowed by this rule.',
  remediation: 'add a deny rule for these places, or narrow the pattern',
  severity: 'high',
  confidence: 'medium',
  *look(subject) {
    const { reach } = subject;
    for (const { position, compiled } of livingAllows(subject)) {
      if (compiled.pattern.kind !== 'filesystem' && compiled.pattern.kind !== 'network') continue;
      const reached = secrets.filter(({ areas }) => areas.some((each) => reach.within(position, [each]).state === 'alive'));
      if (reached.length === 0) continue;
      const names = reached.map(({ name }) => name);
      const severity = reached.some((each) => each.severity === 'high') ? 'high' : 'medium';
      yield {
        position,
        detail: names.join(),
        severity,
        message: `the rule ${subject.nameOf(position)} reaches ${listed(names, 5)}, and no deny or ask rule stands in front`,
      };
    }
  },
});
