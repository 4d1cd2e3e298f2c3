/** The model's answers to the programs: the same request always gets the same answer. */
import { type ChatRequest, chunk, eventStream, type Script, USAGE } from '../../support/provider.ts';

interface ToolUse {
  name: string;
  args: object;
}

interface ScriptedReply {
  role: string;
  content?: unknown;
  name?: string;
}

/** The node that makes a call: its system prompt says so. */
export function callerOf({ messages }: ChatRequest): string {
  return /^You are (\w+)/.exec(textOf(messages[0]))?.[1] ?? '';
}

export const programScript: Script = (request, index) => answered(request, index);

let answers = 0;

export function answered(request: ChatRequest, index = 0): Response {
  const reply = replyTo(request);
  const calls = Array.isArray(reply) ? reply : [];
  return inForm(request, `answer-${++answers}-${index}`, typeof reply === 'string' ? reply : '', calls);
}

/** A text, or the tools that it calls. */
function replyTo(request: ChatRequest): string | ToolUse[] {
  const caller = callerOf(request);
  const last = request.messages.at(-1) as ScriptedReply | undefined;
  const question = textOf(request.messages.findLast(({ role }) => role === 'user'));
  const hasTools = request.messages.some(({ role }) => role === 'tool');
  if (caller === 'assistant' && last?.role === 'user') {
    const uses = ['weather', 'time'].filter((what) => question.includes(what));
    if (uses.length > 0) return uses.map((what) => ({ name: `get_${what}`, args: { city: 'Rome' } }));
  }
  if (caller === 'assistant' && last?.role === 'tool') return `So: ${textOf(last)}`;
  if (caller === 'generateTopics') return JSON.stringify({ subjects: question.split(', ') });
  if (caller === 'supervisor') {
    const isDone = request.messages.some((message) => (message as ScriptedReply).name === 'writer');
    return JSON.stringify({ next: isDone ? '__end__' : 'math' });
  }
  if (caller === 'math')
    return hasTools ? [{ name: 'transfer_to_writer', args: {} }] : [{ name: 'add', args: { a: 2, b: 3 } }];
  return `${caller} heard ${question}`;
}

function inForm({ stream, model }: ChatRequest, id: string, text: string, uses: ToolUse[]): Response {
  const head = { id, created: 1, model };
  const calls = uses.map(({ name, args }, index) => ({
    ...{ index, id: `${id}-${index}`, type: 'function' },
    function: { name, arguments: JSON.stringify(args) },
  }));
  const hasCalls = calls.length > 0;
  const finish_reason = hasCalls ? 'tool_calls' : 'stop';
  if (!stream) {
    const message = { role: 'assistant', content: text, ...(hasCalls && { tool_calls: calls }) };
    return Response.json({
      ...{ ...head, object: 'chat.completion', usage: USAGE },
      choices: [{ index: 0, message, finish_reason }],
    });
  }
  const deltas = hasCalls
    ? [{ tool_calls: calls }]
    : (text.match(/\S+\s*/g) ?? []).map((content) => ({ content }));
  const lines = [
    chunk(head, { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
    ...deltas.map((delta) => chunk(head, { choices: [{ index: 0, delta, finish_reason: null }] })),
    chunk(head, { choices: [{ index: 0, delta: {}, finish_reason }] }),
    chunk(head, { choices: [], usage: USAGE }),
    'data: [DONE]\n\n',
  ];
  return eventStream(lines.join(''));
}

function textOf(message: ScriptedReply | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(({ text = '' }: { text?: string }) => text).join('');
}
