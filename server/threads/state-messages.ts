/** The messages of a thread that had runs of LangGraph's protocol: those that its state has. */
import { isMessage, messageText } from '../../graphs/adoption/message-json.ts';
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

/** Those of people and of models, without calls of tools. */
export async function stateMessages(
  { archive, states }: { archive: Archive; states: ThreadStates },
  thread: StoredThread,
  { limit, after, newestFirst }: PageRequest<[seq: number]> & MessageOrder,
): Promise<Page<StoredMessage>> {
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
    if (!role || content === '') return [];
    return [
      { ...common, seq: index + 1, messageId: message.id ?? `${thread.threadId}-${index}`, role, content },
    ];
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
