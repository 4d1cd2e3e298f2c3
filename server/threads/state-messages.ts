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
import type { Run } from '../../state/runs.ts';

const ROLES: Record<string, StoredMessage['role']> = { human: 'user', ai: 'assistant' };

type Request = PageRequest<[seq: number]> & MessageOrder;

interface Parts {
  archive: Archive;
  states: ThreadStates;
}

/** Those of people and of models, without calls of tools; of a graph without messages, what turns and its last run said. */
export async function stateMessages(
  { archive, states }: Parts,
  thread: StoredThread,
  request: Request,
): Promise<Page<StoredMessage>> {
  const { values, createdAt } = (await states.at(thread)) ?? {};
  const { messages } = (values ?? {}) as { messages?: unknown };
  const { items } = await archive.runs({ owner: thread.owner, thread: thread.key }, { limit: 1 });
  if (!Array.isArray(messages)) return withAnswer({ archive, states }, thread, { ...request, run: items[0] });
  const { limit, after, newestFirst } = request;
  const common = {
    status: 'complete' as const,
    runId: items[0]?.runId ?? '',
    workflow: thread.workflow,
    createdAt: createdAt === undefined ? thread.updatedAt : Date.parse(createdAt),
    ...{ tokenCount: null, outputs: [], feedback: null },
  };
  const said = messages.filter(isMessage).flatMap((message, index) => {
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

/** After every row. */
const LAST = 999_999_999_999_999;

/** The rows, and at the end the answer of the newest run, which neither they nor the state have. */
async function withAnswer(
  { archive }: Parts,
  thread: StoredThread,
  { run, ...page }: Request & { run: Run | undefined },
): Promise<Page<StoredMessage>> {
  const answer = run?.request.protocol ? answerOf(run) : undefined;
  const { limit, after, newestFirst } = page;
  if (!answer || (newestFirst && after)) return archive.messages(thread.key, page);
  if (newestFirst && limit === 1) return { items: [answer], next: [LAST] };
  if (newestFirst) {
    const rows = await archive.messages(thread.key, { ...page, limit: limit - 1 });
    return { ...rows, items: [answer, ...rows.items] };
  }
  const rows = await archive.messages(thread.key, page);
  if (rows.next !== null) return rows;
  return rows.items.length < limit ? { ...rows, items: [...rows.items, answer] } : { ...rows, next: [LAST] };
}

function answerOf({
  status,
  messageId,
  runId,
  workflow,
  finishedAt,
  result,
  usage,
}: Run): StoredMessage | undefined {
  if (status !== 'succeeded' || !result || finishedAt === null || result.agentResponse === '')
    return undefined;
  const { agentResponse: content, outputs } = result;
  const tokenCount = usage.inputTokens + usage.outputTokens;
  return {
    ...{ messageId, runId, workflow, content, outputs, tokenCount, createdAt: finishedAt },
    ...{ role: 'assistant', status: 'complete', feedback: null },
  };
}
