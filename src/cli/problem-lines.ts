/**
 * A problem in words: its place as editors open it, its code, what is wrong, what to do.
 * @module
 */
import type { Problem, Where } from '../errors.js';
import { asciiJson, printable } from './printable.js';

/** Nothing that comes from outside reaches a terminal unescaped, whatever a message or a hint quotes. */
export function problemLines({ code, message, where, hint }: Problem): { readonly text: string; readonly hint: string | undefined } {
  const place = placeOf(where);
  return { text: `${place === '' ? '' : `${place}: `}${code}: ${printable(message)}`, hint: hint === undefined ? undefined : printable(hint) };
}

/** `policy.yaml:3:5`, `receipts.cbor, receipt 2, byte 310, /decision`, or `audit/segment-000000000000.cbor, seq 7 of "engine-a", byte 310`. */
export function placeOf({ file, line, column, receipt, offset, pointer, engine, seq }: Where): string {
  const name = file === undefined ? '' : printable(file);
  if (line !== undefined) return `${name === '' ? 'line ' : `${name}:`}${line}:${column ?? 1}`;
  const parts = [name];
  // in a chain the seq is the number that people know an entry by
  const of = engine === undefined ? '' : ` of ${asciiJson(engine)}`;
  if (seq !== undefined) parts.push(`seq ${seq}${of}`);
  else if (receipt !== undefined) parts.push(`receipt ${receipt}${of}`);
  else if (engine !== undefined) parts.push(`engine ${asciiJson(engine)}`);
  if (offset !== undefined) parts.push(`byte ${offset}`);
  if (pointer !== undefined && pointer !== '') parts.push(printable(pointer));
  return parts.filter((part) => part !== '').join(', ');
}
