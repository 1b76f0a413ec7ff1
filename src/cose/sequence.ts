/**
 * Where an item of a CBOR sequence ends (RFC 8742), so that one bad receipt in a file does not hide the next.
 * @module
 */

/**
 * The offset after the item that begins at `start`, or undefined where it cannot be found: the item is not
 * well-formed (RFC 8949 appendix C) or the bytes end inside it. Judges nothing else: a float, a tag or an
 * indefinite length has an end that is plain to see, and what is wrong with it is for the walk to say.
 *
 * One loop without recursion, one step for each head, so that no nesting and no length in the bytes can exhaust it.
 *
 * @example
 * itemEnd(Uint8Array.of(0x82, 0x01, 0x02, 0x03)); // 3: the array [1, 2]; 0x03 is the next item
 */
export function itemEnd(bytes: Uint8Array, start = 0): number | undefined {
  let at = start;
  let pending = 1; // items still to come before the innermost open container, or the whole item, can end
  let open: Open = NONE;
  const outer: number[] = []; // pending and open, of each open container around the innermost
  for (;;) {
    if (pending === 0) {
      if (open === NONE) return at;
      if (bytes[at] === BREAK) {
        if (open === MAP_WANTS_VALUE) return undefined;
        at++;
        open = outer.pop() as Open;
        pending = outer.pop() as number;
        continue;
      }
      if (open !== ARRAY) open = open === MAP ? MAP_WANTS_VALUE : MAP;
      pending = 1;
    }
    const first = bytes[at];
    if (first === undefined) return undefined;
    const major = first >> 5;
    const info = first & 0x1f;
    at++;
    pending--;
    if (info === 31) {
      if (major === 2 || major === 3) {
        const end = chunksEnd(bytes, at, major);
        if (end === undefined) return undefined;
        at = end;
      } else if (major === 4 || major === 5) {
        outer.push(pending, open);
        open = major === 4 ? ARRAY : MAP;
        pending = 0;
      } else {
        return undefined;
      }
      continue;
    }
    if (info >= 28) return undefined;
    const size = info < 24 ? 0 : 1 << (info - 24);
    if (bytes.length - at < size) return undefined;
    let argument = size === 0 ? info : 0;
    for (let i = 0; i < size; i++) argument = argument * 0x100 + (bytes[at++] as number);
    // a simple value below 32 in two bytes is not well-formed
    if (major === 7 && info === 24 && argument < 32) return undefined;
    if (major === 2 || major === 3) at += argument;
    else if (major === 4) pending += argument;
    else if (major === 5) pending += 2 * argument;
    else if (major === 6) pending += 1;
    // every item takes a byte, so a count beyond the bytes can never be met
    if (at > bytes.length || pending > bytes.length - at) return undefined;
  }
}

const BREAK = 0xff;

/** The innermost container of indefinite length that is open: none, an array, or a map that wants a key or a value. */
type Open = typeof NONE | typeof ARRAY | typeof MAP | typeof MAP_WANTS_VALUE;
const NONE = 0;
const ARRAY = 1;
const MAP = 2;
const MAP_WANTS_VALUE = 3;

/** The end of the chunks of an indefinite string: definite strings of the same kind up to a break. */
function chunksEnd(bytes: Uint8Array, start: number, major: number): number | undefined {
  let at = start;
  while (bytes[at] !== BREAK) {
    const first = bytes[at];
    if (first === undefined || first >> 5 !== major || (first & 0x1f) === 31) return undefined;
    const end = itemEnd(bytes, at);
    if (end === undefined) return undefined;
    at = end;
  }
  return at + 1;
}
