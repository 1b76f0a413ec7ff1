/**
 * The whole platform that portable source (all of src but src/cli) may lean on beside ECMAScript: what Node, Deno,
 * Bun, browsers and edge runtimes share. A name that is not here does not compile under tsconfig.portable.json.
 */

declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: Uint8Array): string;
}

declare class URL {
  constructor(url: string, base?: string);
  static canParse(url: string, base?: string): boolean;
  readonly hostname: string;
  readonly host: string;
}

declare function atob(text: string): string;
declare function btoa(binary: string): string;

/** Untyped here on purpose: the one door, src/native.ts, is checked against the real types by tsconfig.json. */
declare module 'node:crypto';
