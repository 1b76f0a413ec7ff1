/**
 * The shape of a policy (POL-1 to POL-10), with the judge of each pattern where its text stands.
 * @module
 */
import { integer, list, object, one, text, word, wordOr, type Shape } from '../shape.js';
import { parseHostPattern } from './host.js';
import { limits } from '../limits.js';
import { effects, fileMethods } from './model.js';
import { parsePathGlob } from './path.js';
import { checkHttpMethod, checkName, checkText } from './text.js';
import { parseArgvItem, parseNameGlob } from './text-glob.js';

const name = text('a name', checkName, { minLength: 1 });
const nameGlob = text('a text glob', parseNameGlob, { minLength: 1 });
const httpMethod = text(
  'an HTTP method',
  (method) => {
    checkText(method, limits.ruleStringBytes);
    checkHttpMethod(method);
  },
  { pattern: '^[A-Z][A-Z0-9_-]*$' },
);
const methods = (method: Shape): Shape => wordOr('any', list('a list of methods', method, { min: 1, max: limits.listItems, set: true }));
const argument = (isLast: boolean): Shape => text('a text glob', (item) => parseArgvItem(item, isLast));
const port = integer(0, 65_535);

export const ruleShape: Shape = object('a rule', {
  name,
  effect: word(...[...effects].reverse()),
  agents: wordOr('any', object('{ one_of: [agent id, ...] }', { one_of: list('a list of agent ids', name, { min: 1, max: limits.listItems, set: true }) })),
  action: one('an action', {
    filesystem: object('a filesystem pattern', {
      path: text('a path glob', parsePathGlob, { pattern: '^/' }),
      methods: methods(word(...fileMethods)),
    }),
    network: object('a network pattern', {
      host: text('a host pattern', parseHostPattern, { minLength: 1 }),
      ports: wordOr('any', object('{ from, to }', { from: port, to: port })),
      methods: methods(httpMethod),
    }),
    process: object('a process pattern', {
      argv: list('a list of argument patterns', argument(false), { last: argument(true), min: 1, max: limits.argvItems }),
    }),
    tool: object('a tool pattern', { server: nameGlob, name: nameGlob }),
  }),
});

export const policyShape: Shape = object('a policy', {
  version: integer(1, Number.MAX_SAFE_INTEGER),
  rules: list('a list of rules', ruleShape, { max: limits.rules, uniqueBy: 'name' }),
});
