/**
 * A problem in words: its place as editors open it, its code, what is wrong, what to do.
 * @module
 */
import type { Problem, Where } from '../errors.js';
import { printable } from './printable.js';

/** Nothing that comes from outside reaches a terminal unescaped, whatever a message or a hint quotes. */
export function problemLines({ code, message, where, hint }: Problem): { readonly text: string; readonly hint: string | undefined } {
  const place = placeOf(where);
  return { text: `${place === '' ? '' : `${place}: `}${code}: ${printable(message)}`, hint: hint === undefined ? undefined : printable(hint) };
}

/** `policy.yaml:3:5`, or `receipts.cbor, receipt 2, byte 310, /decision`. */
export function placeOf({ file, line, column, receipt, offset, pointer }: Where): string {
  const name = file === undefined ? '' : printable(file);
  if (line !== undefined) return `${name === '' ? 'line ' : `${name}:`}${line}:${column ?? 1}`;
  const parts = [name];
  if (receipt !== undefined) parts.push(`receipt ${receipt}`);
  if (offset !== undefined) parts.push(`byte ${offset}`);
  if (pointer !== undefined && pointer !== '') parts.push(printable(pointer));
  return parts.filter((part) => part !== '').join(', ');
}
