import { copyFileSync, rmSync } from 'node:fs';
import { defineConfig, type Options } from 'tsup';

/** Public entries: `ruleprint`, `ruleprint/receipt`, `ruleprint/cose`, `ruleprint/ledger`, `ruleprint/finding`, `ruleprint/lint`, `ruleprint/testing`. A house test holds them to package.json. */
export const entries = {
  index: 'src/index.ts',
  receipt: 'src/receipt/index.ts',
  cose: 'src/cose/index.ts',
  ledger: 'src/ledger/index.ts',
  finding: 'src/finding/index.ts',
  lint: 'src/lint/index.ts',
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

// both formats write to one folder at the same time: it is emptied here, once, and not by either of them
rmSync('dist', { recursive: true, force: true });

export default defineConfig([
  {
    ...shared,
    format: 'esm',
    entry: { ...entries, 'cli/main': 'src/cli/main.ts' },
    // cbor-x is MIT: whoever ships its code ships its notice
    onSuccess: async () => copyFileSync('node_modules/cbor-x/LICENSE', 'dist/LICENSE.cbor-x'),
  },
  { ...shared, format: 'cjs', entry: entries },
  {
    ...shared,
    format: ['esm', 'cjs'],
    entry: entries,
    // tsup sets baseUrl for its own use, which TypeScript 6 calls deprecated
    dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0' } },
  },
]);
