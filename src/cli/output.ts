/**
 * Who writes what where: results on stdout, everything else on stderr, colour on a terminal alone.
 * @module
 */
import { systemReason, unreadable } from './failure.js';
import type { Io, Screen } from './io.js';
import { asciiJson } from './printable.js';

export type Paint = (text: string) => string;
export interface Colours {
  readonly good: Paint;
  readonly bad: Paint;
  readonly open: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

/** Gathered text goes out when it is this long, or when it is flushed. */
const chunkLength = 65_536;

/** A stream that is written to until its reader goes away. */
class Out {
  readonly colours: Colours;
  readonly #screen: Screen;
  #pending = '';
  #failure: Error | undefined;

  constructor(screen: Screen, env: Io['env']) {
    this.#screen = screen;
    this.colours = coloursFor(screen, env);
    screen.on('error', (error) => {
      this.#failure ??= error;
    });
  }

  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= chunkLength) this.#send();
  }

  /** Whether nobody reads any more, as after `| head`. */
  get isClosed(): boolean {
    return this.#failure !== undefined || this.#screen.destroyed;
  }

  /** Waits until all is written. A reader that has gone is no failure; a full disk is. */
  async flush(): Promise<void> {
    this.#send();
    if (!this.isClosed) await new Promise<void>((resolve) => this.#screen.write('', () => resolve()));
    const { code } = (this.#failure ?? {}) as NodeJS.ErrnoException;
    if (this.#failure !== undefined && !goneReader.includes(code ?? ''))
      throw unreadable(`cannot write the result: ${systemReason(this.#failure)}`, undefined, this.#failure);
  }

  #send(): void {
    const text = this.#pending;
    this.#pending = '';
    if (text !== '' && !this.isClosed) this.#screen.write(text);
  }
}

const goneReader: readonly string[] = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'];

export class Output {
  readonly #stdout: Out;
  readonly #stderr: Out;

  constructor({ stdout, stderr, env }: Pick<Io, 'stdout' | 'stderr' | 'env'>) {
    this.#stdout = new Out(stdout, env);
    this.#stderr = new Out(stderr, env);
  }

  /** Colours of results. */
  get colours(): Colours {
    return this.#stdout.colours;
  }

  /** Whether nobody reads the results any more: work for them can stop. */
  get isClosed(): boolean {
    return this.#stdout.isClosed;
  }

  /** A line of the result. */
  line(text = ''): void {
    this.#stdout.write(`${text}\n`);
  }

  /** A part of the result that ends its own lines. */
  raw(text: string): void {
    this.#stdout.write(text);
  }

  /** The result of `--json`: one object. */
  json(value: unknown): void {
    this.line(asciiJson(value, 2));
  }

  error(message: string): void {
    const { bad } = this.#stderr.colours;
    this.#stderr.write(`ruleprint: ${bad('error')}: ${message}\n`);
  }

  hint(message: string): void {
    const { faint } = this.#stderr.colours;
    this.#stderr.write(`ruleprint: ${faint('hint')}: ${message}\n`);
  }

  /** Help that was not asked for, news of a long wait. */
  aside(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  async flush(): Promise<void> {
    try {
      await this.#stdout.flush();
    } finally {
      await this.#stderr.flush();
    }
  }
}

function coloursFor(screen: Screen, env: Io['env']): Colours {
  const plain: Paint = (text) => text;
  const isOn = screen.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint = (code: number, off: number): Paint => (isOn ? (text) => `\x1b[${code}m${text}\x1b[${off}m` : plain);
  return { good: paint(32, 39), bad: paint(31, 39), open: paint(33, 39), strong: paint(1, 22), faint: paint(2, 22) };
}
