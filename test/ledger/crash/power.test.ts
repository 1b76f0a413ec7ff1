import { describe, expect, it } from 'vitest';
import { livesOf } from './power.js';

describe('loss of power (LED-5, LED-6)', () => {
  it.each([1, 2, 3, 4])('leaves all that was durable, and what is cut is reported: seeds from %i000 on', async (block) => {
    const found: string[] = [];
    let durable = 0;
    let cuts = 0;
    for (let seed = block * 1000; seed < block * 1000 + 8; seed++) {
      const lives = await livesOf(seed, 5);
      found.push(...lives.wrong.map((what) => `seed ${seed}: ${what}`));
      durable += lives.durable;
      cuts += lives.cuts;
    }
    expect(found).toEqual([]);
    // the disk did lose something
    expect(durable).toBeGreaterThan(50);
    expect(cuts).toBeGreaterThan(5);
  });
});
