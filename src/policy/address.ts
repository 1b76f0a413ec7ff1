/**
 * IP addresses as hosts spell them: read by the rules of the WHATWG URL standard ("IPv4 parser", "IPv6 parser"), written as dotted
 * decimal and by RFC 5952 section 4. Addresses are lists of 16-bit groups, two for IPv4 and eight for IPv6.
 * @module
 */

export type Address = readonly number[];

/** Whether a name ends in a number, so that it is an IPv4 address or nothing (WHATWG "ends in a number checker"). `name` has no trailing dot and is lower case. */
export function endsInNumber(name: string): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return /^[0-9]+$/.test(last) || /^0x[0-9a-f]*$/.test(last);
}

/** Reads 1 to 4 parts, decimal, octal (`0` in front) or hex (`0x`), the last one filling what is left. Undefined where it is no address. */
export function parseIpv4(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  const numbers = parts.map(parseIpv4Part);
  let value = 0;
  for (const [i, number] of numbers.entries()) {
    const bytesLeft = 4 - i;
    const isLast = i === numbers.length - 1;
    if (number === undefined || number >= (isLast ? 256 ** bytesLeft : 256)) return undefined;
    value += isLast ? number : number * 256 ** (bytesLeft - 1);
  }
  return [Math.floor(value / 0x10000), value % 0x10000];
}

function parseIpv4Part(part: string): number | undefined {
  // a part beyond 2^53 loses digits, and is far beyond 2^32 all the same
  if (/^0x[0-9a-f]*$/.test(part)) return part === '0x' ? 0 : Number.parseInt(part.slice(2), 16);
  if (/^0[0-7]+$/.test(part)) return Number.parseInt(part, 8);
  if (/^(0|[1-9][0-9]*)$/.test(part)) return Number.parseInt(part, 10);
  return undefined;
}

/** Reads an IPv6 address without brackets, dotted decimal at its end included. Undefined where it is none. */
export function parseIpv6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [front, back] = halves.map((half, i) => parseGroups(half, i === halves.length - 1));
  if (front === undefined) return undefined;
  if (halves.length === 1) return front.length === 8 ? front : undefined;
  // "::" stands for at least one group
  if (back === undefined || front.length + back.length > 7) return undefined;
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function parseGroups(text: string, mayEndDotted: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else if (mayEndDotted && i === parts.length - 1 && isDottedDecimal(part)) {
      groups.push(...(parseIpv4(part) as Address));
    } else {
      return undefined;
    }
  }
  return groups;
}

/** Four decimal bytes without leading zeros: the one form inside an IPv6 address. */
function isDottedDecimal(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255);
}

/** The IPv4 address in `::ffff:0:0/96`; undefined for any other. */
export function unmapped(address: Address): Address | undefined {
  const isMapped = address.length === 8 && address[5] === 0xffff && address.slice(0, 5).every((group) => group === 0);
  return isMapped ? address.slice(6) : undefined;
}

/** Dotted decimal, or RFC 5952 section 4: lower case, the first longest run of two or more zero groups as `::`. */
export function formatAddress(address: Address): string {
  if (address.length === 2) return address.flatMap((group) => [group >> 8, group & 0xff]).join('.');
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && address[end] === 0) end++;
    if (end - i > length) [start, length] = [i, end - i];
    i = Math.max(i, end);
  }
  const groups = address.map((group) => group.toString(16));
  if (start < 0) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** The address of a canonical host; undefined for a name. */
export function addressOf(host: string): Address | undefined {
  if (host.includes(':')) return parseIpv6(host);
  return endsInNumber(host) ? parseIpv4(host) : undefined;
}

/** Whether the first `bits` bits of two addresses of one family agree. */
export function samePrefix(a: Address, b: Address, bits: number): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0, left = bits; left > 0; i++, left -= 16) {
    const mask = left >= 16 ? 0xffff : (0xffff << (16 - left)) & 0xffff;
    if ((((a[i] as number) ^ (b[i] as number)) & mask) !== 0) return false;
  }
  return true;
}

/** The address with all bits after the first `bits` cleared. */
export function networkOf(address: Address, bits: number): Address {
  return address.map((group, i) => {
    const kept = Math.min(16, Math.max(0, bits - 16 * i));
    return group & (0xffff << (16 - kept)) & 0xffff;
  });
}
