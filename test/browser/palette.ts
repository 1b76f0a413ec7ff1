/**
 * A picture as PNG with a palette: a page has few colours, and three bytes for each of its points are two too many.
 * @module
 */
import { crc32, deflateSync } from 'node:zlib';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each point, row by row. */
  readonly points: Uint8Array;
}

/** Keeps the 256 most frequent colours; every other becomes the nearest of them. */
export function indexedPng({ width, height, points }: Picture): Uint8Array {
  const counts = new Map<number, number>();
  const colourAt = (i: number): number => ((points[4 * i] ?? 0) << 16) | ((points[4 * i + 1] ?? 0) << 8) | (points[4 * i + 2] ?? 0);
  for (let i = 0; i < width * height; i++) counts.set(colourAt(i), (counts.get(colourAt(i)) ?? 0) + 1);
  const palette = [...counts]
    .sort(([a, n], [b, m]) => m - n || a - b)
    .slice(0, 256)
    .map(([colour]) => colour);
  const indexes = new Map(palette.map((colour, index) => [colour, index]));
  for (const colour of counts.keys()) if (!indexes.has(colour)) indexes.set(colour, nearest(colour, palette));
  const rows = new Uint8Array(height * (width + 1));
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexes.get(colourAt(y * width + x)) ?? 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function nearest(colour: number, palette: readonly number[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  palette.forEach((other, index) => {
    const distance = [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
