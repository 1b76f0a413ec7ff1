import { describe, expect, it } from 'vitest';
import { type CborInput, encodeCbor } from '../../src/cose/cbor.js';
import { type CborValue, walkWholeCbor } from '../../src/cose/walk.js';
import { bytesOf, casesOf, type Fields, hexOf, type Json, refusal } from './load.js';

/** `$bytes_hex` becomes bytes, `$map` a Map, in the order of the vector. */
function cborValue(value: Json): CborValue {
  if (Array.isArray(value)) return (value as readonly Json[]).map(cborValue);
  if (typeof value !== 'object' || value === null) return value as CborValue;
  const fields = value as Fields;
  if (typeof fields['$bytes_hex'] === 'string') return bytesOf(fields['$bytes_hex']);
  return new Map((fields['$map'] as [Json, Json][]).map(([key, member]) => [key as number | string, cborValue(member)]));
}

/** The same value with the entries of its maps the other way round. */
function reversed(value: CborValue): CborValue {
  if (value instanceof Map) return new Map([...value].reverse().map(([key, member]) => [key, reversed(member)]));
  return Array.isArray(value) ? (value as CborValue[]).map(reversed) : value;
}

describe('vectors: cbor, written and read', () => {
  it.each(casesOf('cbor', 'written and read'))('$id: $comment', ({ input, expect: expected }) => {
    const value = cborValue(input.value);
    expect(hexOf(encodeCbor(value as CborInput))).toBe(expected.cbor_hex);
    expect(walkWholeCbor(bytesOf(expected.cbor_hex))).toEqual({ value, end: expected.cbor_hex.length / 2 });
  });

  it.each(casesOf('cbor', 'written and read'))('$id is written alike in whatever order its keys are given', ({ input, expect: expected }) => {
    expect(hexOf(encodeCbor(reversed(cborValue(input.value)) as CborInput))).toBe(expected.cbor_hex);
  });
});

describe('vectors: cbor, refused', () => {
  it.each(casesOf('cbor', 'refused'))('$id: $comment', ({ input, expect: expected }) => {
    const walked = walkWholeCbor(bytesOf(input.cbor_hex));
    expect('code' in walked ? refusal(walked, expected) : walked).toEqual(expected);
  });
});
