/**
 * How a JSON text is written, which `JSON.parse` does not tell: the keys of its outermost object, each as often as it stands there, and whether its
 * numbers mean the same when they are written again (spec/mcp.md, MCP-3, MCP-6). For texts that `JSON.parse` has taken; never calls itself.
 * @module
 */

/** The keys of the outermost object, decoded, in their order. */
export function outerKeys(text: string): string[] {
  const keys: string[] = [];
  let depth = 0;
  let isKeyNext = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case quoteSign: {
        const end = endOfString(text, i);
        if (isKeyNext) keys.push(JSON.parse(text.slice(i, end + 1)) as string);
        isKeyNext = false;
        i = end;
        break;
      }
      case openBrace:
      case openBracket:
        isKeyNext = ++depth === 1;
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
      case comma:
        isKeyNext = depth === 1;
        break;
    }
  }
  return keys;
}

/** Whether each number keeps its value through a double and back: no integer beyond 2^53-1, no digit that is lost, nothing that overflows. */
export function numbersSurvive(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === quoteSign) i = endOfString(text, i);
    else if (unit === minus || (unit >= digit0 && unit <= digit9)) {
      numberHere.lastIndex = i;
      const written = numberHere.exec(text)?.[0] ?? '';
      if (!survives(written)) return false;
      i += written.length - 1;
    }
  }
  return true;
}

/** `1.0` and `1e2` survive as `1` and `100`. */
function survives(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) return false;
  return plainSafe.test(written) || decimal(written) === decimal(String(value));
}

/** Sign, digits and exponent of a decimal, each value in one spelling. */
function decimal(written: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(written) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = withoutZeros(digits);
  return kept === '' ? '0' : `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** No regular expression: one that looks for zeros at an end is quadratic in zeros that stand elsewhere. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === digit0) end--;
  return digits.slice(0, end);
}

/** Where the string that begins here ends. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before--;
    // an even number of backslashes are escaped ones
    if ((end - before) % 2 === 1) return end;
  }
}

const numberHere = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const plainSafe = /^-?[1-9]\d{0,14}$/;

const quoteSign = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const digit0 = 0x30;
const digit9 = 0x39;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
