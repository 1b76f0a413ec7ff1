/**
 * package.json, the build and the source name the same entries. What the built package does is checked in tools/pack.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { files, read } from './tree.js';

const manifest = JSON.parse(read('package.json')) as {
  exports: Record<string, string | Record<'import' | 'require', { types: string; default: string }>>;
  bin: Record<string, string>;
  engines: { node: string };
  files: string[];
};
/** `tsup.config.ts` empties dist when it is loaded: it is read here, not imported. */
const built = [...read('tsup.config.ts').matchAll(/^ {2}(\w+): '(src\/[^']+)',$/gm)].map(([, name = '', source = '']) => ({ name, source }));

describe('entries', () => {
  it('are what the build makes, each with types and code for import and for require', () => {
    const expected = built.map(({ name }) => [
      name === 'index' ? '.' : `./${name}`,
      {
        import: { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
        require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
      },
    ]);
    expect(built).toHaveLength(9);
    expect(manifest.exports).toEqual({ ...Object.fromEntries(expected), './package.json': './package.json' });
  });

  it.each(built)('$name has its source', ({ source }) => {
    expect(files).toContain(source);
  });

  it('hold export lines only in src/index.ts', () => {
    const left = read('src/index.ts')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\/\/.*$/gm, '')
      .replace(/^export (type )?\{[^}]*\}( from '[^']+')?;$/gm, '')
      .replace(/^export \* from '[^']+';$/gm, '');
    expect(left.trim()).toBe('');
  });

  it('have one command, which starts with a shebang', () => {
    expect(manifest.bin).toEqual({ ruleprint: './dist/cli/bin.cjs' });
    expect(read('src/cli/bin.ts')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});
