/** The purpose and the content of a call at the scripted provider. */
import { type ChatRequest, CLASSIFIED, type Reply, type Script } from '../../support/provider.ts';

export type Call = 'classification' | 'followup_questions' | 'sql' | 'condense' | 'summary' | 'answer';

/** Determined by the name of the structured output, or by the first words of the shipped summary prompt. */
export function callOf({ response_format, messages }: ChatRequest): Call {
  const shape = response_format?.json_schema?.name;
  if (shape !== undefined) return shape as Call;
  return messages[0]?.content.startsWith('You keep the memory of a conversation') ? 'summary' : 'answer';
}

/** The question of a call: its last message, without the data at its beginning. */
export function questionOf({ messages }: ChatRequest): string {
  return withoutData(messages.at(-1)?.content ?? '');
}

/** The conversation that the model sees: everything but the system prompt and data. */
export function conversationOf({ messages }: ChatRequest): string[] {
  return messages.filter(({ role }) => role !== 'system').map(({ content }) => withoutData(content));
}

/** The data blocks at the beginning of a call's user messages. */
export function blocksOf({ messages }: ChatRequest): string {
  const fromUser = messages.filter(({ role }) => role === 'user');
  return fromUser.flatMap(({ content }) => BLOCKS.exec(content)?.[0] ?? []).join('');
}

const BLOCKS = /^(?:<(\w+)>\n[^<>]*<\/\1>(?:\n\n|$))+/;

function withoutData(content: string): string {
  return content.replace(BLOCKS, '');
}

/** Classifies as support, writes no SQL, adds no words to a search, answers `re: <question>`, summarises as `S<number>`, and suggests two questions. */
export function echoing(replies: Partial<Record<Call, Reply | Script>> = {}): Script {
  let summaries = 0;
  const usual: Record<Call, Script> = {
    classification: () => CLASSIFIED,
    sql: () => ({ sql: '', explanation: 'The tables do not answer this.', tables: [] }),
    condense: (request) => ({ question: questionOf(request), words: [] }),
    answer: (request) => `re: ${questionOf(request)}`,
    summary: () => `S${++summaries}`,
    followup_questions: () => ({ questions: ['Which model?', 'Since when?'] }),
  };
  return (request, index) => {
    const reply = replies[callOf(request)] ?? usual[callOf(request)];
    return typeof reply === 'function' ? (reply as Script)(request, index) : reply;
  };
}

/** An error response of the provider. */
export function failure(status: number): Reply {
  return Response.json({ error: { message: `provider text canary ${status}` } }, { status });
}
