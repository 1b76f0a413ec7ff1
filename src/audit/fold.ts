/**
 * Text folded to what a reader takes it for: ASCII letters and digits in lower case, nothing else (AUD-23).
 *
 * The tables are our own and closed (`foldVersion`), because tables of Unicode differ between runtimes and a hit must not: what Unicode 17.0 decomposes to one
 * ASCII letter or digit (NFKD, marks dropped), the letters in circles, squares and flags, and a small part of the lookalikes of UTS #39
 * (confusables.txt, Cyrillic, Greek, Armenian, Cherokee and small capitals). Accented Latin letters come from canonical decomposition, which is frozen.
 * @module
 */

/** Names the tables: another table is another number. */
export const foldVersion = 'ruleprint-fold/1';

/** Ranges of code points in hex, and what the first of each stands for; the others of a range follow on. */
const alike =
  'aa=a b2-b3=2 b9=1 ba=o 2b0=h 2b2=j 2b3=r 2b7=w 2b8=y 2e1=l 2e2=s 2e3=x 1d2c=a 1d2e=b 1d30-1d31=d 1d33-1d3a=g 1d3c=o 1d3e=p 1d3f=r 1d40-1d41=t ' +
  '1d42=w 1d43=a 1d47=b 1d48-1d49=d 1d4d=g 1d4f=k 1d50=m 1d52=o 1d56=p 1d57-1d58=t 1d5b=v 1d62=i 1d63=r 1d64-1d65=u 1d9c=c 1da0=f 1dbb=z 2070=0 ' +
  '2071=i 2074-2079=4 207f=n 2080-2089=0 2090=a 2091=e 2092=o 2093=x 2095=h 2096-2099=k 209a=p 209b-209c=s 2102=c 210a-210b=g 210c=h 210d=h 210e=h ' +
  '2110=i 2111=i 2112=l 2113=l 2115=n 2119-211b=p 211c=r 211d=r 2124=z 2128=z 212a=k 212b-212d=a 212f=e 2130-2131=e 2133=m 2134=o 2139=i 2145=d ' +
  '2146-2147=d 2148-2149=i 2160=i 2164=v 2169=x 216c=l 216d-216e=c 216f=m 2170=i 2174=v 2179=x 217c=l 217d-217e=c 217f=m 2460-2468=1 24b6-24cf=a ' +
  '24d0-24e9=a 24ea=0 24f5-24fd=1 2776-277e=1 2780-2788=1 278a-2792=1 2c7c=j 2c7d=v a7f1=s a7f2=c a7f3=f a7f4=q ff10-ff19=0 ff21-ff3a=a ff41-ff5a=a ' +
  '107a5=q 1ccd6-1ccef=a 1ccf0-1ccf9=0 1d400-1d419=a 1d41a-1d433=a 1d434-1d44d=a 1d44e-1d454=a 1d456-1d467=i 1d468-1d481=a 1d482-1d49b=a 1d49c=a ' +
  '1d49e-1d49f=c 1d4a2=g 1d4a5-1d4a6=j 1d4a9-1d4ac=n 1d4ae-1d4b5=s 1d4b6-1d4b9=a 1d4bb=f 1d4bd-1d4c3=h 1d4c5-1d4cf=p 1d4d0-1d4e9=a 1d4ea-1d503=a ' +
  '1d504-1d505=a 1d507-1d50a=d 1d50d-1d514=j 1d516-1d51c=s 1d51e-1d537=a 1d538-1d539=a 1d53b-1d53e=d 1d540-1d544=i 1d546=o 1d54a-1d550=s ' +
  '1d552-1d56b=a 1d56c-1d585=a 1d586-1d59f=a 1d5a0-1d5b9=a 1d5ba-1d5d3=a 1d5d4-1d5ed=a 1d5ee-1d607=a 1d608-1d621=a 1d622-1d63b=a 1d63c-1d655=a ' +
  '1d656-1d66f=a 1d670-1d689=a 1d68a-1d6a3=a 1d7ce-1d7d7=0 1d7d8-1d7e1=0 1d7e2-1d7eb=0 1d7ec-1d7f5=0 1d7f6-1d7ff=0 1f12b=c 1f12c=r 1f130-1f149=a ' +
  '1f150-1f169=a 1f170-1f189=a 1f1e6-1f1ff=a 1fbf0-1fbf9=0';

/** Each row: a letter or digit, and what looks like it. */
const lookalikes: readonly string[] = [
  'aаαаɑᴀΑАᎪ',
  'bЬвВΒʙᏴᖯ',
  'cсСϲᴄⅽᏟ',
  'dԁᴅԀᎠ',
  'eеЕΕєᴇҽᎬ',
  'fϝꜰƒ',
  'gɡԌԍɢᏀ',
  'hһнНΗʜᏂᎻ',
  'iіІιΙıɪӏᎥ',
  'jјЈϳᴊᎫ',
  'kкКκΚᴋᏦ',
  'lʟᏞǀ',
  'mмМΜᴍᎷ',
  'nΝɴոռпη',
  'oоОοΟօᴏσ',
  'pрРρΡᴘᏢ',
  'qԛԚգ',
  'rгʀᎡᏒ',
  'sѕЅꜱՏᏚ',
  'tтТτΤᴛᎢ',
  'uսᴜυ',
  'vѵѴνᴠᏙ',
  'wԝԜᴡωᎳ',
  'xхХχΧ',
  'yуУγΥʏүҮ',
  'zΖᴢᏃ',
  '3ЗзӠӡ',
  '6б',
];

/**
 * What takes no place on a screen: format characters, joiners, fillers, variation selectors and tags (Unicode 17.0, Default_Ignorable_Code_Point and Cf, in
 * whole ranges), and the marks that combine with what stands before.
 */
export const ignorable =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: marks are meant one by one
  /[\u00ad\u0300-\u036f\u0483-\u0489\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d165}-\u{1d182}\u{e0000}-\u{e0fff}]/gu;

const folded = /* @__PURE__ */ tableOf();

function tableOf(): ReadonlyMap<number, string> {
  const table = new Map<number, string>();
  for (const row of alike.split(' ')) {
    const [range = '', first = ''] = row.split('=');
    const [start = 0, end = start] = range.split('-').map((digits) => Number.parseInt(digits, 16));
    for (let code = start; code <= end; code++) table.set(code, String.fromCharCode(first.charCodeAt(0) + code - start));
  }
  for (const [letter = '', ...others] of lookalikes.map((row) => [...row])) for (const other of others) table.set(other.codePointAt(0) ?? 0, letter);
  return table;
}

/** Letters and digits alone, in lower case. Every other character is dropped: what separates letters does not hide them. */
export function fold(text: string): string {
  // most text is ASCII, where this is ten times faster
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '');
  let out = '';
  for (const char of text) out += foldOf(char);
  return out;
}

function foldOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return /[a-z0-9]/i.test(char) ? char.toLowerCase() : '';
  const found = folded.get(code);
  if (found !== undefined) return found;
  if ((code < 0xc0 || code > 0x24f) && (code < 0x1e00 || code > 0x1eff)) return '';
  const base = char.normalize('NFD').charAt(0);
  return /[a-z]/i.test(base) ? base.toLowerCase() : '';
}
