/**
 * Text from outside, made safe for a terminal.
 * @module
 */

/** The text whole, everything but printable ASCII escaped. `quote` of ../errors.ts is the same, shortened and in backticks. */
export function printable(text: string): string {
  return escaped(text, /[^\x20-\x7e]/g);
}

/** JSON in ASCII alone: what is escaped is the same text to a parser, and cannot steer a terminal. */
export function asciiJson(value: unknown, indent?: number): string {
  return escaped(JSON.stringify(value, undefined, indent), /[\x7f-\uffff]/g);
}

function escaped(text: string, what: RegExp): string {
  return text.replace(what, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
