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
import type { Run } from '../../state/runs.ts';

const ROLES: Record<string, StoredMessage['role']> = { human: 'user', ai: 'assistant' };

export interface StateMessage extends StoredMessage {
  /** Its content, where that is more than a text. */
  parts?: unknown[];
}

type Request = PageRequest<[seq: number]> & MessageOrder;

interface Parts {
  archive: Archive;
  states: ThreadStates;
}

/**
 * Those of people and of models, without calls of tools; of a graph without messages, what turns and its last run said.
 * While a run is under way, its messages are left out, as those of turns are: the state is that of the thread's head.
 */
export async function stateMessages(
  { archive, states }: Parts,
  thread: StoredThread,
  request: Request,
): Promise<Page<StateMessage>> {
  const { items } = await archive.runs({ owner: thread.owner, thread: thread.key }, { limit: FEW });
  const isGoing = items[0]?.finishedAt === null;
  const { values, createdAt } = (await stateOf(states, thread, isGoing)) ?? {};
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
  const said = messages.filter(isMessage).flatMap((message, index) => {
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

// Behind a run that is under way others may wait.
const FEW = 20;

async function stateOf(states: ThreadStates, thread: StoredThread, isGoing: boolean) {
  if (!isGoing) return states.at(thread);
  return thread.head === null ? undefined : states.at(thread, { checkpoint_id: thread.head });
}

const TEXTS = new Set(['text', 'tool_use', 'tool_call', 'input_json_delta']);

/** Undefined for text, however many pieces it has, and for calls of tools. */
function partsOf({ content }: { content: unknown }): unknown[] | undefined {
  if (!Array.isArray(content)) return undefined;
  const isMore = content.some((part) => typeof part === 'object' && !TEXTS.has(part?.type));
  const json = isMore ? asJson(content) : undefined;
  return Array.isArray(json) ? json : undefined;
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
