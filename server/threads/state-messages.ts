/** The messages of a thread that had runs of LangGraph's protocol: those that its state has. */
import { asJson, isMessage, messageText } from '../../graphs/adoption/message-json.ts';
import type { ThreadStates } from '../../runtime/threads/thread-states.ts';
import type {
  Archive,
  MessageOrder,
  Page,
  PageRequest,
  StoredMessage,
  StoredThread,
} from '../../state/archive.ts';

const ROLES: Record<string, StoredMessage['role']> = { human: 'user', ai: 'assistant' };

export interface StateMessage extends StoredMessage {
  /** Its content, where that is more than a text. */
  parts?: unknown[];
}

/** Those of people and of models, without calls of tools. */
export async function stateMessages(
  { archive, states }: { archive: Archive; states: ThreadStates },
  thread: StoredThread,
  { limit, after, newestFirst }: PageRequest<[seq: number]> & MessageOrder,
): Promise<Page<StateMessage>> {
  const { values, createdAt } = (await states.at(thread)) ?? {};
  const { messages } = (values ?? {}) as { messages?: unknown };
  const { items } = await archive.runs({ owner: thread.owner, thread: thread.key }, { limit: 1 });
  const common = {
    status: 'complete' as const,
    runId: items[0]?.runId ?? '',
    workflow: thread.workflow,
    createdAt: createdAt === undefined ? thread.updatedAt : Date.parse(createdAt),
    ...{ tokenCount: null, outputs: [], feedback: null },
  };
  const said = (Array.isArray(messages) ? messages : []).filter(isMessage).flatMap((message, index) => {
    const role = ROLES[message.getType()];
    const content = messageText(message);
    const parts = partsOf(message);
    if (!role || (content === '' && !parts)) return [];
    const messageId = message.id ?? `${thread.threadId}-${index}`;
    return [{ ...common, seq: index + 1, messageId, role, content, ...(parts && { parts }) }];
  });
  const [start] = after ?? [];
  const listed = newestFirst ? said.toReversed() : said;
  const from = listed.filter(({ seq }) => start === undefined || (newestFirst ? seq < start : seq > start));
  const page = from.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ seq: _, ...message }) => message),
    next: last && from.length > limit ? [last.seq] : null,
  };
}

const TEXTS = new Set(['text', 'tool_use', 'tool_call', 'input_json_delta']);

/** Undefined for text, however many pieces it has, and for calls of tools. */
function partsOf({ content }: { content: unknown }): unknown[] | undefined {
  if (!Array.isArray(content)) return undefined;
  const isMore = content.some((part) => typeof part === 'object' && !TEXTS.has(part?.type));
  const json = isMore ? asJson(content) : undefined;
  return Array.isArray(json) ? json : undefined;
}
