import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalRequest } from '../../src/index.js';
import * as reference from '../reference/decide.js';
import { outcome, plain, runs } from './agreement.js';
import { anyHost, anyPath, brokenText, Choices, spelledRequest, stream, text } from './arbitraries.js';
import { notPlainObject, withFault } from './faults.js';

const anyAction = fc.oneof(
  fc
    .tuple(fc.oneof(anyPath, brokenText), fc.constantFrom('read', 'write', 'delete', 'execute', 'Read', ''))
    .map(([path, method]) => ({ filesystem: { path, method } })),
  fc
    .tuple(
      fc.oneof(anyHost, brokenText),
      fc.oneof(fc.constantFrom<unknown[]>(0, 1, 65_535, 65_536, 80.5, '80', null), fc.nat(70_000)),
      fc.option(fc.constantFrom('GET', 'get', 'M-SEARCH', '', '_A', 'A B')),
    )
    .map(([host, port, method]) => ({ network: method === null ? { host, port } : { host, port, method } })),
  fc.array(fc.oneof(text, brokenText), { maxLength: 3 }).map((argv) => ({ process: { argv } })),
  fc.tuple(fc.oneof(text, brokenText), text).map(([server, name]) => ({ tool: { server, name } })),
);

describe('request: src against the reference', () => {
  it('makes requests canonical alike (DEC-3)', () => {
    fc.assert(
      fc.property(spelledRequest, (request) => {
        expect(outcome(() => canonicalRequest(request))).toEqual(plain(reference.canonicalRequest(request)));
      }),
      runs(2),
    );
  });

  it('refuses the first action that has no canonical form alike (DEC-2, DEC-3)', () => {
    fc.assert(
      fc.property(fc.oneof(text, brokenText), fc.array(anyAction, { minLength: 1, maxLength: 3 }), (agent, actions) => {
        for (const asked of [
          { agent, actions },
          { agent: 'a', actions },
          { agent: 'a', actions: actions.slice(0, 1) },
        ]) {
          expect(outcome(() => canonicalRequest(asked))).toEqual(plain(reference.canonicalRequest(asked)));
        }
      }),
      runs(2),
    );
  });

  it('refuses one fault alike (DEC-1, DEC-2)', () => {
    fc.assert(
      fc.property(spelledRequest, stream(), (request, choices) => {
        const faulty = withFault(request, new Choices(choices));
        expect(outcome(() => canonicalRequest(faulty))).toEqual(plain(reference.canonicalRequest(faulty)));
      }),
      runs(5),
    );
  });

  it('refuses an object with another prototype (DEC-1)', () => {
    fc.assert(
      fc.property(spelledRequest, stream(), (request, choices) => {
        const strange = notPlainObject(request, new Choices(choices));
        expect(outcome(() => canonicalRequest(strange))).toEqual({ code: 'not-plain-data' });
        expect(plain(reference.canonicalRequest(strange))).toEqual({ code: 'not-plain-data' });
      }),
      runs(),
    );
  });

  it('reads each property once, and does not look at symbols and hidden ones (DEC-1)', () => {
    /** A copy whose every property answers well the first time only. */
    const fickle = (value: unknown): unknown => {
      if (value === null || typeof value !== 'object') return value;
      const made: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
      for (const [key, child] of Object.entries(value)) {
        const answers = [fickle(child)];
        Object.defineProperty(made, key, { get: () => (answers.length === 0 ? { changed: 'behind the back' } : answers.pop()), enumerable: true });
      }
      Object.defineProperty(made, 'hidden', { value: 1, enumerable: false });
      Object.defineProperty(made, Symbol('extra'), { value: 1, enumerable: true });
      return made;
    };
    fc.assert(
      fc.property(spelledRequest, (request) => {
        expect(outcome(() => canonicalRequest(fickle(request)))).toEqual(plain(reference.canonicalRequest(request)));
        expect(plain(reference.canonicalRequest(fickle(request)))).toEqual(plain(reference.canonicalRequest(request)));
      }),
      runs(),
    );
  });

  it('holds the limits alike, at the border (DEC-4)', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('a', 'é', '\u{10000}'),
        fc.constantFrom('path', 'argv', 'agent', 'many', 'actions', 'sum'),
        fc.integer({ min: -1, max: 1 }),
        (unit, kind, off) => {
          const size = new TextEncoder().encode(unit).length;
          const filled = (bytes: number): string => unit.repeat(Math.floor(bytes / size)) + 'a'.repeat(bytes % size);
          const read = { filesystem: { path: '/', method: 'read' } };
          const asked = {
            path: { agent: 'a', actions: [{ filesystem: { path: `/${filled(65_535 + off)}`, method: 'read' } }] },
            argv: { agent: 'a', actions: [{ process: { argv: ['', filled(65_536 + off)] } }] },
            agent: { agent: filled(4_096 + off), actions: [read] },
            many: { agent: 'a', actions: [{ process: { argv: Array.from({ length: 256 + off }, () => unit) } }] },
            actions: { agent: 'a', actions: Array.from({ length: 64 + off }, () => read) },
            sum: { agent: 'a', actions: Array.from({ length: 8 }, (_, index) => ({ process: { argv: [filled(65_536 - (index === 0 ? 1 - off : 0))] } })) },
          }[kind];
          expect(outcome(() => canonicalRequest(asked))).toEqual(plain(reference.canonicalRequest(asked)));
        },
      ),
      runs(0.1),
    );
  });
});
