/**
 * The one script of the page: opens an epoch beside the squares. Everything that it shows becomes text nodes; it makes no markup out of anything.
 *
 * It is text, and no function that is made into text: what a bundler adds to functions is not there in a browser.
 * @module
 */
import { piled, unseen } from './visible.js';

/** Characters of one text that are shown at once. */
export const shownAtOnce = 20_000;

const code = String.raw`'use strict';
(() => {
  const dialog = document.getElementById('epoch');
  const title = document.getElementById('epoch-title');
  const body = document.getElementById('epoch-body');
  const squares = [...document.querySelectorAll('button.sq')];
  const bySquare = new Map(squares.map((square, i) => [square.dataset.epoch, i]));
  const unseen = new RegExp('([UNSEEN])\\1*|PILED', 'gu');
  let open = -1;
  let from = null;

  const el = (name, className, ...kids) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    for (const kid of kids) if (kid !== undefined && kid !== null && kid !== false) node.append(kid);
    return node;
  };

  // ---- texts

  // a planted value whole, and pieces of twelve or more as they stand
  const marksIn = (text, canaries) => {
    const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    const found = [];
    for (const { slot, value } of canaries) {
      const wanted = value.toLowerCase();
      for (let at = 0; at < wanted.length - 11; at++) {
        const piece = wanted.slice(at, at + 12);
        for (let i = lower.indexOf(piece); i >= 0; i = lower.indexOf(piece, i + 1)) {
          let end = i + 12;
          for (let j = at + 12; j < wanted.length && lower[end] === wanted[j]; j++) end++;
          found.push({ start: i, end, slot, whole: end - i === wanted.length });
          if (found.length > 5000) return merged(found);
        }
      }
    }
    return merged(found);
  };
  const merged = (found) => {
    const out = [];
    for (const one of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
      const last = out[out.length - 1];
      if (last && one.start < last.end) last.end = Math.max(last.end, one.end);
      else out.push(one);
    }
    return out;
  };

  const plain = (into, text) => {
    let done = 0;
    for (const match of text.matchAll(unseen)) {
      const [run, first] = match;
      if (first === '\r' && run === '\r' && text[match.index + 1] === '\n') continue;
      into.append(text.slice(done, match.index));
      if (first === undefined) into.append(el('span', 'unseen', [...run].length + ' marks'));
      else {
        const times = run.length / first.length;
        const number = 'U+' + first.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
        into.append(el('span', 'unseen', times > 1 ? number + ' \u00d7' + times : number));
      }
      done = match.index + run.length;
    }
    into.append(text.slice(done));
  };

  const textBox = (className, text, canaries) => {
    const box = el('div', 'text ' + (className || ''));
    const marks = marksIn(text, canaries);
    let done = 0;
    const more = () => {
      let end = Math.min(text.length, done + AT_ONCE);
      // neither a pair of surrogates nor a mark is cut
      const across = marks.find((one) => one.start < end && one.end > end);
      if (across) end = across.end;
      if (/[\ud800-\udbff]/.test(text[end - 1] || '') && end < text.length) end++;
      for (const one of marks.filter(({ start }) => start >= done && start < end)) {
        plain(box, text.slice(done, one.start));
        const mark = el('mark', one.whole ? 'canary' : 'canary piece');
        mark.title = (one.whole ? 'planted value of the slot ' : 'piece of the planted value of the slot ') + one.slot;
        plain(mark, text.slice(one.start, one.end));
        box.append(mark);
        done = one.end;
      }
      plain(box, text.slice(done, end));
      done = end;
      if (done < text.length) {
        const left = marks.filter(({ start }) => start >= done).length;
        const rest = text.length - done;
        const button = el('button', 'more', 'Show more: ' + rest + ' characters are left' + (left ? ', with ' + left + ' planted values in them' : ''));
        button.type = 'button';
        button.addEventListener('click', () => {
          button.remove();
          more();
        });
        box.append(button);
      }
    };
    more();
    return box;
  };

  // ---- parts of an epoch

  const inline = (className, text) => {
    const node = el('span', className);
    plain(node, text);
    return node;
  };

  const badge = (hit, i) => {
    const node = el('a', 'badge ' + hit.severity, 'hit ' + (i + 1));
    node.href = '#';
    node.title = hit.says + ' (' + hit.signal + ', ' + hit.severity + ')';
    node.addEventListener('click', (event) => {
      event.preventDefault();
      focusOn(document.getElementById('hit-' + (i + 1)));
    });
    return node;
  };

  const focusOn = (node) => {
    if (!node) return;
    node.scrollIntoView({ block: 'center' });
    node.focus({ preventScroll: true });
  };

  const pointerOf = (key) => '/' + key.replaceAll('~', '~0').replaceAll('/', '~1');
  const at = (pointer, locus) => locus === pointer || locus.startsWith(pointer + '/') || locus === pointer + '#';

  const argumentsOf = (call, hits, canaries) => {
    let args;
    if (call.parsed === 'ok') {
      try {
        args = call.raw.trim() === '' ? {} : JSON.parse(call.raw);
      } catch {
        args = undefined;
      }
    }
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      return el('div', 'args', el('p', 'small', 'arguments as written, which are ' + (call.parsed === 'ok' ? 'no object' : call.parsed)), textBox('mono', call.raw, canaries));
    }
    const list = el('dl', 'args');
    for (const [key, value] of Object.entries(args)) {
      const pointer = pointerOf(key);
      const here = hits.filter(({ hit }) => at(pointer, hit.locus));
      let words = value;
      if (typeof value !== 'string') {
        try {
          words = JSON.stringify(value, null, 2);
        } catch {
          words = 'too deep to be shown apart: see it as written';
        }
      }
      const row = el('div', here.length ? 'arg at-hit' : 'arg', el('dt', '', inline('', key), ...here.map(({ hit, i }) => badge(hit, i))), el('dd', '', textBox(typeof value === 'string' ? '' : 'mono', words, canaries)));
      list.append(row);
    }
    if (list.childElementCount === 0) list.append(el('p', 'small', 'no arguments'));
    return el('div', '', list, el('details', 'written', el('summary', '', 'as written'), textBox('mono', call.raw, canaries)));
  };

  const decisions = { allow: '\u2713 allowed', ask: '? asks', deny: '\u2715 denied' };

  const callCard = (call, hits, canaries) => {
    const mine = hits.filter(({ hit }) => hit.call === call.index);
    const card = el('section', mine.length ? 'call at-hit ' + mine[0].hit.severity : 'call');
    card.id = 'call-' + call.index;
    card.tabIndex = -1;
    card.append(el('h4', '', el('span', 'small', 'call ' + call.index + ' '), inline('tool', call.name), ...mine.map(({ hit, i }) => badge(hit, i))));
    card.append(argumentsOf(call, mine, canaries));
    if (call.gate) {
      const { decision, receipt, seq, answered, error } = call.gate;
      const hash = inline('hash', receipt);
      hash.title = receipt;
      card.append(el('p', 'gate ' + decision, el('b', '', 'gate: ' + (decisions[decision] || decision)), ', receipt ', hash, ', record ' + seq + (answered ? '' : ', not answered')));
      if (call.result) card.append(el('div', 'result', el('p', 'small', error ? 'result, an error' : 'result'), textBox('mono', call.result.text, canaries)));
    } else card.append(el('p', 'gate', 'no gate was asked: the epoch ended before'));
    return card;
  };

  const roles = { system: 'Operator', user: 'User', assistant: 'Agent', tool: 'Tool' };

  const messageBox = (message, hits, canaries) => {
    const mine = hits.filter(({ hit }) => hit.call === undefined && hit.message === message.index);
    const box = el('article', 'message ' + message.role + (mine.length ? ' at-hit ' + mine[0].hit.severity : ''));
    box.id = 'message-' + message.index;
    box.tabIndex = -1;
    box.append(el('h3', '', roles[message.role] || message.role, ...mine.map(({ hit, i }) => badge(hit, i))));
    if (message.reasoning) box.append(el('details', 'thoughts', el('summary', '', 'thoughts'), textBox('', message.reasoning, canaries)));
    if (message.text) box.append(textBox('', message.text, canaries));
    for (const call of message.calls || []) box.append(callCard(call, hits, canaries));
    if (!message.text && !message.reasoning && !(message.calls || []).length) box.append(el('p', 'small', 'without a word'));
    return box;
  };

  const placeOf = (hit) => (hit.call !== undefined ? 'call ' + hit.call : hit.message !== undefined ? 'message ' + hit.message : 'the epoch as a whole');

  const hitList = (facts) => {
    if (facts.hits.length === 0) return null;
    const list = el('ol', 'hits');
    facts.hits.forEach((hit, i) => {
      const place = placeOf(hit);
      const target = hit.call !== undefined ? 'call-' + hit.call : hit.message !== undefined ? 'message-' + hit.message : undefined;
      const where = el(target ? 'button' : 'span', 'place');
      plain(where, place + ', ' + hit.locus);
      if (target) {
        where.type = 'button';
        where.addEventListener('click', () => focusOn(document.getElementById(target)));
      }
      const item = el('li', '', el('span', 'severity ' + hit.severity, hit.severity), ' ' + hit.says + ' ', inline('code', hit.signal), ' at ', where);
      item.id = 'hit-' + (i + 1);
      item.tabIndex = -1;
      list.append(item);
    });
    if (facts.moreHits > 0) list.append(el('li', 'small', 'and ' + facts.moreHits + ' more'));
    return list;
  };

  const missing = {
    'no-room': 'The transcript of this epoch is not in this page, for its size. It lies in the folder of the evidence, under transcripts.',
    none: 'There is no transcript of this epoch in the folder of the evidence.',
    unreadable: 'The transcript of this epoch is not as a run writes it, and is not shown. A verification says what is wrong.',
  };

  const epochParts = ({ facts, said }) => {
    const table = el('dl', 'epoch-facts');
    for (const [name, value] of facts.facts) table.append(el('div', '', el('dt', '', name), el('dd', '', inline('', value))));
    const parts = [el('p', 'outcome ' + facts.outcome, inline('', facts.outcomeSays)), hitList(facts), el('details', 'about', el('summary', '', 'About this epoch'), table)];
    if (!said.messages) return [...parts, el('p', 'note', missing[said.missing] || 'There is no transcript.')];
    const hits = facts.hits.map((hit, i) => ({ hit, i }));
    if (said.canaries.length) {
      const slots = el('p', 'small', 'Planted values are ', el('mark', 'canary', 'marked'), ' wherever they stand as they are; slots: ');
      plain(slots, said.canaries.map(({ slot }) => slot).join(', '));
      parts.push(slots);
    }
    return [...parts, ...said.messages.map((message) => messageBox(message, hits, said.canaries))];
  };

  // ---- opening and closing

  const show = (i) => {
    const square = squares[i];
    const data = square && document.getElementById('data-' + square.dataset.epoch);
    if (!data) return;
    const epoch = JSON.parse(data.textContent);
    open = i;
    title.textContent = epoch.facts.title;
    body.replaceChildren(...epochParts(epoch).filter(Boolean));
    document.getElementById('previous').disabled = i === 0;
    document.getElementById('next').disabled = i === squares.length - 1;
    if (!dialog.open) {
      from = square;
      dialog.showModal();
    } else from = square;
    body.scrollTop = 0;
    body.focus({ preventScroll: true });
    const address = '#epoch-' + square.dataset.epoch;
    if (location.hash !== address) history.replaceState(null, '', address);
  };

  dialog.addEventListener('close', () => {
    body.replaceChildren();
    open = -1;
    if (location.hash.startsWith('#epoch-')) history.replaceState(null, '', location.pathname + location.search);
    if (from) {
      point(from);
      from.focus();
    }
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.getElementById('close').addEventListener('click', () => dialog.close());
  document.getElementById('previous').addEventListener('click', () => show(open - 1));
  document.getElementById('next').addEventListener('click', () => show(open + 1));

  // ---- squares: one stop for the tab key in each cell, arrows between them

  const point = (square) => {
    for (const other of square.parentElement.children) other.tabIndex = other === square ? 0 : -1;
  };
  for (const cell of document.querySelectorAll('.squares')) if (cell.firstElementChild) point(cell.firstElementChild);
  document.addEventListener('click', (event) => {
    const square = event.target instanceof Element && event.target.closest('button.sq');
    if (square) show(bySquare.get(square.dataset.epoch));
  });
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  document.addEventListener('keydown', (event) => {
    const square = event.target instanceof Element && event.target.closest('button.sq');
    if (!square || event.altKey || event.ctrlKey || event.metaKey) return;
    const i = bySquare.get(square.dataset.epoch);
    const cell = square.parentElement.children;
    const to = event.key in steps ? squares[i + steps[event.key]] : event.key === 'Home' ? cell[0] : event.key === 'End' ? cell[cell.length - 1] : undefined;
    if (!to) return;
    event.preventDefault();
    point(to);
    to.focus();
  });

  const follow = () => {
    const [, number] = /^#epoch-(\d+)$/.exec(location.hash) || [];
    if (number !== undefined && bySquare.has(number)) show(bySquare.get(number));
  };
  addEventListener('hashchange', follow);
  document.documentElement.classList.add('scripted');
  follow();
})();
`;

const escaped = (pattern: string): string => pattern.replaceAll('\\', '\\\\');

export const script: string = code
  .replace('UNSEEN', () => escaped(unseen))
  .replace('PILED', () => escaped(piled))
  .replace('AT_ONCE', String(shownAtOnce));
