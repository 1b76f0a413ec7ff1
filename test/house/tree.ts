/**
 * What the house tests read: the files of the repository and their import lines.
 * @module
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Every file that is tracked, or new and not ignored; paths from the root. */
export const files: readonly string[] = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)))
  .sort();

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

export interface Import {
  readonly from: string;
  /** As written. */
  readonly specifier: string;
  /** For a relative specifier the file it names, otherwise the package with its subpath or the `node:` module. */
  readonly to: string;
  readonly line: number;
  /** Erased by the compiler: it moves no code. */
  readonly typeOnly: boolean;
}

/** Every import and re-export of a source file, `import()` and import types included. */
export function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true);
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const relative = specifier.text.startsWith('.');
    const to = relative ? posix.join(posix.dirname(file), specifier.text).replace(/\.js$/, '.ts') : specifier.text;
    found.push({ from: file, specifier: specifier.text, to, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node, node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node, node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `file:line`, as editors open it. */
export function at(file: string, line: number): string {
  return `${file}:${line}`;
}
