/** Reads the messages of a thread with runs of LangGraph's protocol from the thread's state. */
import { asJson, isMessage, messageText } from '../../graphs/adoption/message-json.ts';
import type { ThreadStates } from '../../runtime/threads/thread-states.ts';
import type {
  Archive,
  MessageOrder,
  Page,
  PageRequest,
  StoredMessage,
  StoredThread,
} from '../../state/threads/archive.ts';
import type { Run } from '../../state/threads/runs.ts';

const ROLES: Record<string, StoredMessage['role']> = { human: 'user', ai: 'assistant' };

export interface StateMessage extends StoredMessage {
  /** The content if it is not only text. */
  parts?: unknown[];
}

type Request = PageRequest<[seq: number]> & MessageOrder;

interface Parts {
  archive: Archive;
  states: ThreadStates;
}

/**
 * Returns the messages of users and models, without tool calls. For a graph without a `messages` channel, returns the stored
 * messages of turns and the answer of the last run. Leaves out the messages of a run in progress, as for turns: the state is
 * that of the thread's head.
 */
export async function stateMessages(
  { archive, states }: Parts,
  thread: StoredThread,
  request: Request,
): Promise<Page<StateMessage>> {
  const { items } = await archive.runs({ owner: thread.owner, thread: thread.key }, { limit: MAX_RUNS });
  const isRunning = items[0]?.finishedAt === null;
  const { values, createdAt } = (await stateOf(states, thread, isRunning)) ?? {};
  const { messages } = (values ?? {}) as { messages?: unknown };
  if (!Array.isArray(messages)) return withAnswer({ archive, states }, thread, { ...request, run: items[0] });
  const { limit, after, newestFirst } = request;
  const common = {
    status: 'complete' as const,
    runId: items.find(({ finishedAt }) => finishedAt !== null)?.runId ?? '',
    workflow: thread.workflow,
    createdAt: createdAt === undefined ? thread.updatedAt : Date.parse(createdAt),
    ...{ tokenCount: null, outputs: [], feedback: null },
  };
  const all = messages.filter(isMessage).flatMap((message, index) => {
    const role = ROLES[message.getType()];
    const content = messageText(message);
    const parts = partsOf(message);
    if (!role || (content === '' && !parts)) return [];
    const messageId = message.id ?? `${thread.threadId}-${index}`;
    return [{ ...common, seq: index + 1, messageId, role, content, ...(parts && { parts }) }];
  });
  const [start] = after ?? [];
  const ordered = newestFirst ? all.toReversed() : all;
  const from = ordered.filter(({ seq }) => start === undefined || (newestFirst ? seq < start : seq > start));
  const page = from.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ seq: _, ...message }) => message),
    next: last && from.length > limit ? [last.seq] : null,
  };
}

// In the list of newest runs, queued runs come before the one in progress.
const MAX_RUNS = 20;

async function stateOf(states: ThreadStates, thread: StoredThread, isRunning: boolean) {
  if (!isRunning) return states.at(thread);
  return thread.head === null ? undefined : states.at(thread, { checkpoint_id: thread.head });
}

const TEXT_TYPES = new Set(['text', 'tool_use', 'tool_call', 'input_json_delta']);

/** Returns undefined for content that only has text and tool calls. */
function partsOf({ content }: { content: unknown }): unknown[] | undefined {
  if (!Array.isArray(content)) return undefined;
  const hasOtherParts = content.some((part) => typeof part === 'object' && !TEXT_TYPES.has(part?.type));
  const json = hasOtherParts ? asJson(content) : undefined;
  return Array.isArray(json) ? json : undefined;
}

/** A position after all rows. */
const LAST = 999_999_999_999_999;

/** Returns the stored messages and, as the newest one, the answer of the newest run, which is neither stored nor in the state. */
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
