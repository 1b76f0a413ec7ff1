/** A model that needs no key: it asks for three calls and then is done. It prints what it is told of each. */
const path = (name) => JSON.stringify({ path: `${process.cwd()}/project/${name}` });
const calls = [
  { toolCallId: 'call-1', toolName: 'read_file', input: path('plan.txt') },
  { toolCallId: 'call-2', toolName: 'read_file', input: path('keys/id') },
  { toolCallId: 'call-3', toolName: 'delete_file', input: path('plan.txt') },
];
const usage = { inputTokens: { total: 0 }, outputTokens: { total: 0 } };
let turn = 0;

export const model = {
  specificationVersion: 'v3',
  provider: 'try',
  modelId: 'try',
  supportedUrls: {},
  async doGenerate({ prompt }) {
    const told = prompt.at(-1).content.at(0);
    if (told.type === 'tool-result') console.log(`${told.toolName}: ${String(told.output.value).trim()}`);
    const call = calls[turn++];
    const finish = (unified) => ({ finishReason: { unified, raw: unified }, usage, warnings: [] });
    if (call === undefined) return { content: [{ type: 'text', text: 'done' }], ...finish('stop') };
    return { content: [{ type: 'tool-call', ...call }], ...finish('tool-calls') };
  },
};
