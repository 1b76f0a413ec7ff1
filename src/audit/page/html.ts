/**
 * Markup of which nobody outside can write a part: text becomes markup by one tag, which escapes it.
 * @module
 */
import { shown } from './visible.js';

/** Markup that is whole: made by the tag below, or by `raw`. */
export interface Html {
  readonly html: string;
}

export type Part = string | number | Html | undefined | false | readonly Part[];

/**
 * Puts texts into markup, between elements or inside double quotes.
 *
 * INVARIANT (escaped): a part that is no `Html` holds no markup when it leaves here, and no character that is not seen
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.map((string, i) => string + markupOf(parts[i])).join('') };
}

/** Markup that was written here, in the source. Never for what came from outside. */
export function raw(markup: string): Html {
  return { html: markup };
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string') return escaped(shown(part));
  if (typeof part === 'number') return String(part);
  if ('html' in part) return part.html;
  return part.map(markupOf).join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? '');
}

/**
 * Data in an element that is read and not run. No `<` is in it, so that it ends no element and opens no comment; a surrogate without its other half is written as
 * an escape by JSON itself.
 */
export function dataScript(id: string, json: string): Html {
  return raw(`<script type="application/json" id="${id}">${json}</script>\n`);
}

export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
