import { copyFileSync, rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { defineConfig, type Options } from 'tsup';

/** Public entries: `ruleprint`, `ruleprint/receipt`, `ruleprint/cose`, `ruleprint/ledger`, `ruleprint/gate`, `ruleprint/finding`, `ruleprint/lint`, `ruleprint/audit`, `ruleprint/testing`. A house test holds them to package.json. */
export const entries = {
  index: 'src/index.ts',
  receipt: 'src/receipt/index.ts',
  cose: 'src/cose/index.ts',
  ledger: 'src/ledger/index.ts',
  gate: 'src/gate/index.ts',
  finding: 'src/finding/index.ts',
  lint: 'src/lint/index.ts',
  audit: 'src/audit/index.ts',
  testing: 'src/testing/index.ts',
};

const shared: Options = {
  target: 'node20',
  platform: 'neutral',
  outDir: 'dist',
  // chunks shared between entries, so that RuleprintError is one class whichever of them it comes from
  splitting: true,
  treeshake: false,
  minify: false,
  // the maps point to src, which is published beside dist
  sourcemap: true,
  esbuildOptions(options) {
    options.sourcesContent = false;
  },
  // the entry without `new Function` and without the native add-on, taken into our own files: no user installs cbor-x
  noExternal: [/^cbor-x/],
};

/**
 * What the hook seldom needs, by what brings it: a module on the list begins its work at the first call of one of its functions, and loads the package
 * behind it then.
 */
const lazy: Readonly<Record<string, readonly string[]>> = {
  'src/cose/curves.ts': [
    'isEd25519Point',
    'isP256Point',
    'ed25519PublicKey',
    'p256PublicKey',
    'randomEd25519Seed',
    'randomP256Scalar',
    'pureEd25519Sign',
    'pureEd25519Verify',
    'pureP256Sign',
    'pureP256Verify',
  ],
  'src/policy/json-places.ts': ['offsetsIn', 'surprises', 'syntaxProblem', 'numberProblem'],
  'src/policy/yaml.ts': ['readYaml'],
  'src/mapping/shell.ts': ['mapShell'],
  'src/pure-sha256.ts': ['pureSha256'],
  'node:child_process': ['execFileSync'],
  'node:fs/promises': ['chmod', 'mkdir', 'open', 'readdir', 'realpath', 'rename', 'rm', 'stat'],
  'node:timers/promises': ['setTimeout'],
};

/** Puts functions that load their module when they are called in the place of the modules above. */
const lazily: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'lazily',
  setup(build) {
    build.onResolve({ filter: /^(node:.*|\.\.?\/.*\.js)$/ }, ({ path, resolveDir, namespace }) => {
      const module = path.startsWith('.') ? relative('.', resolve(resolveDir, path.replace(/\.js$/, '.ts'))) : path;
      return namespace === 'lazy' || lazy[module] === undefined ? undefined : { path: module, namespace: 'lazy' };
    });
    build.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => {
      const from = JSON.stringify(path.startsWith('src/') ? `./${path}` : path);
      const contents = (lazy[path] ?? []).map((name) => `export const ${name} = (...given) => require(${from}).${name}(...given);`);
      return { contents: contents.join('\n'), resolveDir: '.' };
    });
  },
};

/** The command begins with a file that takes in neither of the two others. */
const apart: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'apart',
  setup(build) {
    build.onResolve({ filter: /\/main\.js$/ }, ({ path }) => ({ path: path.replace(/hook\/main\.js$/, 'hook/main.cjs'), external: true }));
  },
};

/** What becomes part of the hook's file: one file is read faster than several. */
const bundled = [/^cbor-x/, 'unbash'];

/** The parser of shell text lies beside the hook as CommonJS: to require a package of ECMAScript modules takes longer than all that the hook does. */
const besideHook: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'beside-hook',
  setup(build) {
    build.onResolve({ filter: /^unbash$/ }, () => ({ path: './unbash.cjs', external: true }));
  },
};

// both formats write to one folder at the same time: it is emptied here, once, and not by either of them
rmSync('dist', { recursive: true, force: true });

export default defineConfig([
  {
    ...shared,
    format: 'esm',
    entry: { ...entries, 'cli/main': 'src/cli/main.ts' },
    // all of them allow it: whoever ships its code ships its notice
    onSuccess: async () => {
      copyFileSync('node_modules/cbor-x/LICENSE', 'dist/LICENSE.cbor-x');
      copyFileSync('node_modules/unbash/LICENSE', 'dist/LICENSE.unbash');
    },
  },
  // CommonJS, in which a package is loaded where it is asked for and not with the file
  {
    ...shared,
    platform: 'node',
    format: 'cjs',
    entry: { 'cli/hook/main': 'src/cli/hook/main.ts' },
    removeNodeProtocol: false,
    splitting: false,
    esbuildPlugins: [besideHook, lazily],
    noExternal: bundled,
  },
  { ...shared, platform: 'node', format: 'cjs', entry: { 'cli/bin': 'src/cli/bin.ts' }, splitting: false, esbuildPlugins: [apart] },
  { ...shared, platform: 'node', format: 'cjs', entry: { 'cli/hook/unbash': 'node_modules/unbash/dist/parser.js' }, splitting: false },
  { ...shared, format: 'cjs', entry: entries },
  {
    ...shared,
    format: ['esm', 'cjs'],
    entry: entries,
    // tsup sets baseUrl for its own use, which TypeScript 6 calls deprecated
    dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0' } },
  },
]);
