/** What a call at the scripted provider is for, and what it carries. */
import { type ChatRequest, CLASSIFIED, type Reply, type Script } from '../../support/provider.ts';

export type Call = 'classification' | 'followup_questions' | 'sql' | 'summary' | 'answer';

/** By the name of the asked shape, and by the first words of the shipped summary prompt. */
export function callOf({ response_format, messages }: ChatRequest): Call {
  const shape = response_format?.json_schema?.name;
  if (shape !== undefined) return shape as Call;
  return messages[0]?.content.startsWith('You keep the memory of a conversation') ? 'summary' : 'answer';
}

/** The question of a call: its last message, without the data that it begins with. */
export function questionOf({ messages }: ChatRequest): string {
  return withoutData(messages.at(-1)?.content ?? '');
}

/** What the model sees of the conversation: everything but the system prompt and data. */
export function conversationOf({ messages }: ChatRequest): string[] {
  return messages.filter(({ role }) => role !== 'system').map(({ content }) => withoutData(content));
}

/** The blocks of data that a call's user messages begin with. */
export function blocksOf({ messages }: ChatRequest): string {
  const said = messages.filter(({ role }) => role === 'user');
  return said.flatMap(({ content }) => BLOCKS.exec(content)?.[0] ?? []).join('');
}

const BLOCKS = /^(?:<(\w+)>\n[^<>]*<\/\1>(?:\n\n|$))+/;

function withoutData(content: string): string {
  return content.replace(BLOCKS, '');
}

/** Classifies as support, writes no SQL, answers `re: <question>`, summarises as `S<number>`, and suggests two questions. */
export function echoing(replies: Partial<Record<Call, Reply | Script>> = {}): Script {
  let summaries = 0;
  const usual: Record<Call, Script> = {
    classification: () => CLASSIFIED,
    sql: () => ({ sql: '', explanation: 'The tables do not answer this.', tables: [] }),
    answer: (request) => `re: ${questionOf(request)}`,
    summary: () => `S${++summaries}`,
    followup_questions: () => ({ questions: ['Which model?', 'Since when?'] }),
  };
  return (request, index) => {
    const reply = replies[callOf(request)] ?? usual[callOf(request)];
    return typeof reply === 'function' ? (reply as Script)(request, index) : reply;
  };
}

/** An error answer of the provider. */
export function failure(status: number): Reply {
  return Response.json({ error: { message: `provider text canary ${status}` } }, { status });
}
