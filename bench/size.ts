/**
 * Bytes of each entry as a bundler ships it, and bleed: whose code an entry drags along. Who only verifies receipts
 * must not ship a YAML parser or a command line.
 * @module
 */
import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import type { Bench } from './main.js';

interface Bundle {
  readonly name: string;
  /** What an application would write. */
  readonly imports: string;
  /** Packages that must not be in it. */
  readonly without: readonly string[];
}

const commandLine = ['commander', 'cli-progress'];
const testing = ['fast-check'];

function bundles(entries: readonly string[]): Bundle[] {
  const wholes = entries.map((entry): Bundle => {
    const without = entry === 'index' ? [...commandLine, ...testing] : entry === 'testing' ? commandLine : ['yaml', ...commandLine, ...testing];
    return { name: `all of ${entry}`, imports: `export * from './${entry}.js';`, without };
  });
  return [
    ...wholes,
    { name: 'verify only', imports: "export { parseTrustStore, verifyReceipt } from './receipt.js';", without: ['yaml', ...commandLine, ...testing] },
    { name: 'decide only', imports: "export { copyPolicy, decide } from './index.js';", without: [...commandLine, ...testing] },
  ];
}

export async function benchSize({ dist, report }: Bench): Promise<void> {
  const { build } = await import('esbuild');
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { exports: Record<string, unknown> };
  const entries = Object.keys(manifest.exports)
    .filter((subpath) => !subpath.endsWith('.json'))
    .map((subpath) => (subpath === '.' ? 'index' : subpath.slice(2)));
  const rows: Parameters<typeof report.list>[0]['rows'][number][] = [];
  const bleeds: string[] = [];
  for (const { name, imports, without } of bundles(entries)) {
    const { outputFiles, metafile } = await build({
      stdin: { contents: imports, resolveDir: dist, sourcefile: 'application.js' },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['import'],
      external: ['fast-check'],
      write: false,
      metafile: true,
      logLevel: 'error',
    });
    const [file] = outputFiles;
    const [output] = Object.values(metafile.outputs);
    if (file === undefined || output === undefined) throw new Error(`esbuild wrote nothing for ${name}`);
    const shipped = new Map<string, number>();
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const owner = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'ruleprint';
      if (bytesInOutput > 0) shipped.set(owner, (shipped.get(owner) ?? 0) + bytesInOutput);
    }
    for (const { path, external } of output.imports) if (external === true) shipped.set(path, 0);
    const owners = [...shipped].sort(([, a], [, b]) => b - a).map(([owner, bytes]) => `${owner} ${bytes}`);
    rows.push({ name: `${name}, minified`, figure: { unit: 'bytes', value: file.contents.length }, remark: owners.join(', ') });
    rows.push({ name: `${name}, gzip`, figure: { unit: 'bytes', value: gzipSync(file.contents).length } });
    for (const unwanted of without) if (shipped.has(unwanted)) bleeds.push(`${name} ships ${unwanted}`);
  }
  report.list({ id: 'size', title: 'size', rows });
  report.must('no bleed', bleeds);
}
