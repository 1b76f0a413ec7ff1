/**
 * Bytes into lines, none longer than a cap (spec/mcp.md, MCP-1).
 * @module
 */

/** The longest line from a client, its end not counted: what the SDKs take at most. */
export const maxLineBytes = 10_485_760;

/** A line without its line feed, or notice of one that was too long: its bytes are gone, and none of them is a line of its own. */
export type Line = { readonly bytes: Uint8Array } | { readonly tooLong: number };

const lineFeed = 0x0a;

export class LineSplitter {
  readonly #max: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(max: number = maxLineBytes) {
    this.#max = max;
  }

  /** The lines that a chunk ends. What it begins is kept. */
  push(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      this.#add(chunk.subarray(from, end));
      lines.push(this.#take());
      from = end + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
    return lines;
  }

  /** What stands behind the last line feed when the stream ends: no line, and never sent on. */
  get rest(): number {
    return this.#length;
  }

  #add(part: Uint8Array): void {
    this.#length += part.length;
    // a sender who never ends a line costs no memory
    if (this.#length > this.#max) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #take(): Line {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length > this.#max) return { tooLong: length };
    const [only] = parts;
    return { bytes: parts.length === 1 && only !== undefined ? only : joined(parts, length) };
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
