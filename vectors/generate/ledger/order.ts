/**
 * Steps 1 to 9 of the receipt for entries of a chain, and their order (LED-11).
 * @module
 */
import { array, bstr, goodPayload, headerOf, message, signed } from '../receipt/parts.js';
import type { Case } from '../kit.js';
import {
  bytesFail,
  Chain,
  chainCase,
  chainOf,
  engineKey,
  engineKeyP256,
  fails,
  hashOf,
  keyUnknown,
  noPolicy,
  notes,
  orderFails,
  otherKey,
  otherLedgerId,
  receiptOf,
  refuses,
  shortChain,
  signatureFails,
  startTime,
  strangerKey,
  trusted,
  verified,
} from './chain.js';
import { looseReceipt } from './whole.js';

const without = (entries: readonly string[], ...at: readonly number[]): readonly string[] => entries.filter((_, i) => !at.includes(i));
const swapped = (entries: readonly string[], at: number): readonly string[] =>
  entries.map((entry, i) => entries[i === at ? at + 1 : i === at + 1 ? at : i] ?? entry);

/** The entries with one more behind them. */
const and = ({ entries }: Chain, ...more: readonly string[]): readonly string[] => [...entries, ...more];

export function orders(): readonly Case[] {
  const still = chainOf(6, { step: 0 });
  const unused = withoutInstall(6).entries;
  return [
    chainCase('order-removed', 'An entry removed in the middle (LED-11)', without(chainOf(5).entries, 3), {
      flags: ['keyless'],
      axes: orderFails,
      problems: [fails('order', 'seq-gap', 4)],
    }),
    chainCase('order-two-removed', 'Two entries removed: one gap (LED-11)', without(chainOf(6).entries, 2, 3), {
      flags: ['keyless'],
      axes: orderFails,
      problems: [fails('order', 'seq-gap', 4)],
    }),
    chainCase('order-swapped', 'Two entries swapped: each step that is none is a problem (LED-11)', swapped(still.entries, 3), {
      flags: ['keyless', 'several'],
      axes: orderFails,
      problems: [fails('order', 'seq-gap', 4), fails('order', 'seq-repeat', 3), fails('order', 'seq-gap', 5)],
    }),
    chainCase('order-repeated', 'An entry stands twice (LED-11)', [...still.entries.slice(0, 4), ...still.entries.slice(3)], {
      flags: ['keyless'],
      axes: orderFails,
      problems: [fails('order', 'seq-repeat', 3)],
    }),
    chainCase('order-replayed', 'An entry from before stands again at the end (LED-11)', and(still, still.entries[2] as string), {
      flags: ['keyless'],
      axes: orderFails,
      problems: [fails('order', 'seq-repeat', 2)],
    }),
    chainCase('order-head-cut', 'The genesis is gone (LED-11)', without(chainOf(4).entries, 0), {
      flags: ['keyless'],
      axes: orderFails,
      problems: [fails('order', 'genesis-missing', 1)],
    }),
    chainCase('order-begins-with-decision', 'The first entry is a decision, at seq 0 (LED-11)', decisionFirst().entries, {
      axes: orderFails,
      problems: [fails('order', 'genesis-missing', 0)],
    }),
    chainCase('order-genesis-again', 'A second genesis behind the chain (LED-11)', genesisAgain().entries, {
      axes: orderFails,
      problems: [fails('order', 'genesis-again', 0)],
    }),
    chainCase(
      'order-chain-again',
      'A second chain behind the first, with the install that is in force: the walk goes on from its genesis (LED-11)',
      [...still.entries, ...secondChain().entries],
      { axes: orderFails, problems: [fails('order', 'genesis-again', 0)] },
    ),
    chainCase('order-fork', 'Two entries follow the same one (LED-11)', forked().entries, { axes: orderFails, problems: [fails('order', 'seq-repeat', 3)] }),
    chainCase('order-jump', 'The engine leaves a seq out, and goes on from there (LED-11)', jumped().entries, {
      axes: orderFails,
      problems: [fails('order', 'seq-gap', 7)],
    }),
    chainCase('order-prev-differs', 'An entry that follows the one before the last (LED-11)', wrongPrev((chain) => chain.hash(1)).entries, {
      axes: orderFails,
      problems: [fails('order', 'prev-differs', 3)],
    }),
    chainCase('order-prev-of-nothing', 'An entry that follows one that is not there (LED-11)', wrongPrev(() => hashOf('e')).entries, {
      axes: orderFails,
      problems: [fails('order', 'prev-differs', 3)],
    }),
    chainCase('order-seq-missing', 'A standalone decision in a folder, which fits nowhere (LED-11)', and(shortChain(), standalone()), {
      axes: orderFails,
      problems: [fails('order', 'seq-missing', { engine: 'engine-a' })],
    }),
    chainCase(
      'order-approval-unrecorded',
      'What another key says stands beside the chain and not in a record of it (LED-11)',
      and(shortChain(), shortChain().approval(hashOf('b'))),
      { axes: orderFails, problems: [fails('order', 'seq-missing', { engine: 'engine-a' })] },
    ),
    chainCase('order-other-engine', 'An entry of another engine has its own chain, which does not begin here (LED-11)', and(shortChain(), stray()), {
      axes: orderFails,
      problems: [fails('order', 'genesis-missing', { engine: 'engine-b', seq: 3 })],
    }),
    verified(
      'order-segments-swapped',
      'Two segments in the other order (LED-9, LED-11)',
      [unused.slice(3), unused.slice(0, 3)],
      {},
      {
        flags: ['keyless', 'several'],
        axes: orderFails,
        problems: [fails('order', 'genesis-missing', 3), fails('order', 'genesis-again', 0)],
      },
    ),
    verified(
      'order-segment-lost',
      'The segment in the middle is lost (LED-9, LED-11)',
      [still.entries.slice(0, 2), still.entries.slice(4)],
      {},
      { flags: ['keyless'], axes: orderFails, problems: [fails('order', 'seq-gap', 4)] },
    ),
    chainCase('order-time-back-and-gap', 'A time that steps back is noted beside a gap (LED-11)', without(backInTime().entries, 3), {
      flags: ['keyless', 'note', 'several'],
      axes: orderFails,
      problems: [fails('order', 'seq-gap', 4), notes('order', 'time-back', 4)],
    }),
  ];
}

function decisionFirst(): Chain {
  const chain = new Chain();
  chain.decide({ ...refuses, ...noPolicy });
  return chain;
}

/** A genesis, and decisions for which there is no policy. */
function withoutInstall(length: number): Chain {
  const chain = new Chain({ step: 0 });
  chain.genesis();
  while (chain.entries.length < length) chain.decide({ ...refuses, ...noPolicy });
  return chain;
}

function genesisAgain(): Chain {
  const chain = chainOf(4);
  chain.genesis({ seq: 0, prev: undefined, ledger_id: otherLedgerId });
  return chain;
}

/** As the first but for its ledger_id: it links to itself, and its decisions cite what the first has in force. */
function secondChain(): Chain {
  const chain = new Chain({ step: 0 });
  chain.genesis({ ledger_id: otherLedgerId });
  chain.decide();
  chain.decide();
  return chain;
}

function forked(): Chain {
  const chain = chainOf(4);
  chain.decide({ seq: 3, prev: chain.hash(2) });
  return chain;
}

/** 0 to 2, then 7 and 8. */
function jumped(): Chain {
  const chain = shortChain();
  chain.decide({ seq: 7 });
  chain.decide({ seq: 8 });
  return chain;
}

function wrongPrev(prev: (chain: Chain) => string): Chain {
  const chain = shortChain();
  chain.decide({ prev: prev(chain) });
  chain.decide();
  return chain;
}

const standalone = (): string => {
  const chain = shortChain();
  chain.decide({ seq: undefined, prev: undefined });
  return chain.entries[3] as string;
};

function stray(): string {
  const chain = chainOf(4, { engine: 'engine-b', key: otherKey });
  return chain.entries[3] as string;
}

/** The last entry is from before the first. */
function backInTime(): Chain {
  const chain = chainOf(4);
  chain.decide({ time: startTime - 1 });
  return chain;
}

/** What the folder says is synced (LED-11). */
export function tails(): readonly Case[] {
  const { entries } = chainOf(5);
  const hash = (seq: number): string => chainOf(5).hash(seq);
  const tail = (id: string, comment: string, of: readonly string[], durable: { seq: number; hash: string }, signs: string): Case =>
    chainCase(id, comment, of, { flags: ['keyless'], axes: signs, problems: [fails('order', 'tail-missing')] }, { durable });
  const tailFails = '+++ -. +++ +';
  return [
    tail('tail-cut', 'The last entry is cut, which was synced (LED-11)', entries.slice(0, 4), { seq: 4, hash: hash(4) }, tailFails),
    tail('tail-other-hash', 'Another entry stands where the last synced one was (LED-11)', entries, { seq: 4, hash: hashOf('e') }, tailFails),
    tail('tail-other-seq', 'The entry is there, at another seq (LED-11)', entries, { seq: 3, hash: hash(2) }, tailFails),
    tail('tail-folder-emptied', 'No entry is left, and one was synced (LED-11)', [], { seq: 4, hash: hash(4) }, '... -. ... .'),
    chainCase('tail-there', 'The last entry is the one that was synced (LED-11)', entries, { axes: '+++ +. +++ +' }, { durable: { seq: 4, hash: hash(4) } }),
  ];
}

/** Bytes and signatures of entries: the axes behind rest on them. */
export function damaged(): readonly Case[] {
  const chain = chainOf(5);
  const entry = (seq: number): string => chain.entries[seq] as string;
  const length = (hexText: string): number => hexText.length / 2;
  const replaced = (seq: number, by: string): readonly string[] => chain.entries.map((each, i) => (i === seq ? by : each));
  const flipped = entry(2).slice(0, -2) + (Number.parseInt(entry(2).slice(-2), 16) ^ 1).toString(16).padStart(2, '0');
  const withNull = `d2${array(bstr(headerOf(engineKey)), 'a104f6', bstr(goodPayload), bstr(signed(engineKey, headerOf(engineKey), goodPayload)))}`;
  const otherEffect = Buffer.from('read-srv').toString('hex');
  const tampered = entry(2).replace(otherEffect, Buffer.from('read-srw').toString('hex'));
  if (tampered === entry(2) || length(tampered) !== length(entry(2))) throw new RangeError('expected the rule in the entry');
  const rests = ['rests'];
  return [
    chainCase(
      'entry-signature-flipped',
      'A bit of a signature in the middle is flipped: the links hold, and only that entry is bad (LED-11)',
      replaced(2, flipped),
      {
        flags: ['keyless', 'rests'],
        axes: signatureFails,
        problems: [fails('signature', 'signature-invalid', 2)],
      },
    ),
    chainCase('entry-tampered', 'A letter of the last entry is another, under its old signature (RCP-20)', [entry(0), entry(1), tampered], {
      flags: ['keyless', 'rests'],
      axes: signatureFails,
      problems: [fails('signature', 'signature-invalid', 2)],
    }),
    chainCase(
      'entry-signed-by-stranger',
      'The last entry is signed by another key under the kid of the engine (RCP-20)',
      [...chain.entries.slice(0, 4), resigned(entry(4))],
      { flags: ['rests'], axes: signatureFails, problems: [fails('signature', 'signature-invalid', 4)] },
    ),
    chainCase(
      'entry-signed-high-s',
      'A P-256 signature in its second form (RCP-8)',
      [...p256().slice(0, 2), highS(p256()[2] as string)],
      { flags: ['keyless', 'rests', 'rfc-6979'], axes: signatureFails, problems: [fails('signature', 'signature-high-s', 2)] },
      { trust: { keys: [trusted(engineKeyP256)] } },
    ),
    chainCase('entry-key-unknown', 'The last entry is by a key that is in no trust store (RCP-20)', byStranger().entries, {
      flags: rests,
      axes: keyUnknown,
      problems: [fails('key-trust', 'key-unknown', 3)],
    }),
    chainCase('entry-other-order-unsaid', 'Behind a signature that does not pass, a wrong prev is no problem of its own (LED-16)', strangerWithoutPrev(), {
      flags: rests,
      axes: keyUnknown,
      problems: [fails('key-trust', 'key-unknown', 3)],
    }),
    chainCase('entry-null', 'Null in the unprotected header of the last entry (RCP-14)', [...chain.entries.slice(0, 4), withNull], {
      flags: rests,
      axes: bytesFail,
      problems: [fails('bytes', 'cbor-simple')],
    }),
    chainCase('entry-unreadable-in-the-middle', 'An entry that cannot be read leaves a gap (LED-11)', replaced(3, withNull), {
      flags: ['rests', 'several'],
      axes: '-.. -. ... .',
      problems: [fails('bytes', 'cbor-simple'), fails('order', 'seq-gap', 4)],
    }),
    chainCase('entry-cut', 'The last entry is a byte short: its end cannot be found (RCP-24)', [...chain.entries.slice(0, 4), entry(4).slice(0, -2)], {
      flags: ['keyless', 'rests', 'several'],
      axes: bytesFail,
      problems: [fails('bytes', 'cbor-truncated'), fails('bytes', 'sequence-broken')],
    }),
    chainCase('entry-zeros', 'Zeros behind the last entry, as a crash can leave them: an integer each (RCP-13, RCP-24)', [...chain.entries, '00'], {
      flags: ['keyless', 'rests'],
      axes: bytesFail,
      problems: [fails('bytes', 'cose-tag')],
    }),
    chainCase('entry-eddsa-untaken', '-8 in the last entry, which the caller does not take (RCP-17)', loose(), {
      flags: ['loose-algorithm', 'rests'],
      axes: bytesFail,
      problems: [fails('bytes', 'cose-alg')],
    }),
    chainCase(
      'entry-not-a-receipt',
      'A receipt of another kind of statement than the closed list has (RCP-19)',
      [...chain.entries, receiptOf({ statement: 'opinion', engine_id: 'engine-a', time: startTime, seq: 5, prev: chain.hash(4) }, engineKey)],
      { flags: rests, axes: '-+. .. ... .', problems: [fails('bytes', 'unknown-statement')] },
    ),
  ];
}

/** The same header and payload with the signature of a stranger. */
function resigned(entry: string): string {
  const [header, payload] = parts(entry);
  return message({ header, payload, signature: signed(strangerKey, header, payload) });
}

/** The protected header and the payload of a message that is good. */
function parts(entry: string): [header: string, payload: string] {
  const header = headerOf(engineKey);
  const start = `d284${bstr(header)}a0`;
  if (!entry.startsWith(start)) throw new RangeError('expected an entry by the engine');
  const rest = entry.slice(start.length, -2 * 66);
  const headLength = { 58: 4, 59: 6 }[rest.slice(0, 2)] ?? 2;
  return [header, rest.slice(headLength)];
}

const p256 = (): readonly string[] => shortChain({ key: engineKeyP256 }).entries;
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551');
function highS(entry: string): string {
  const s = BigInt(`0x${entry.slice(-64)}`);
  return entry.slice(0, -64) + (order - s).toString(16).padStart(64, '0');
}

function byStranger(): Chain {
  const chain = shortChain();
  chain.decide({}, strangerKey);
  return chain;
}

function strangerWithoutPrev(): readonly string[] {
  const chain = shortChain();
  chain.decide({ prev: hashOf('e') }, strangerKey);
  return chain.entries;
}

function loose(): readonly string[] {
  const chain = shortChain();
  const taken = shortChain({ make: looseReceipt });
  taken.entries.splice(0, 3, ...chain.entries);
  taken.decide();
  return taken.entries;
}
