/** What a chat's request asks: a turn, to go on with an interrupt, or to look at what runs. */
import type { ResumeRequest, Turn } from '../../runtime/intake/turn.ts';
import { startAfter } from '../../runtime/threads/turn-starts.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import type { Registry } from '../../runtime/workflows/registry.ts';
import type { StoredThread } from '../../state/archive.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Run } from '../../state/runs.ts';
import type { Services } from '../services.ts';
import { questionIn } from './question.ts';
import { answersIn } from './resume-calls.ts';
import type { AiChatRequest, Message } from './schema.ts';

export type Call = Pick<ResumeRequest, 'owner' | 'threadId' | 'requestId' | 'traceparent' | 'idempotency'>;

/** The turn of a question. Throws what the runtime does, INVALID_REQUEST and CHECKPOINT_NOT_FOUND. */
export async function ask(
  services: Services,
  workflow: RunnableWorkflow,
  { call, body }: { call: Call; body: AiChatRequest },
): Promise<Turn> {
  const last = body.messages.at(-1);
  if (last?.role !== 'user')
    throw new SkeinError('INVALID_REQUEST', { detail: 'messages: the last one is no question' });
  const question = questionIn(last);
  const thread = await services.archive.threads.find(call.owner, call.threadId);
  const checkpointId = thread && (await startOf(services, thread, body));
  const isFree = !thread || (thread.status !== 'busy' && thread.status !== 'interrupted');
  return services.runtime.turn({
    ...{ ...call, ...question, workflow: workflow.name, checkpointId },
    // What a page has stopped listening to makes room for what it asks next. To look costs less than to supersede nothing.
    strategy: isFree ? 'enqueue' : 'supersede',
  });
}

/** The turn that goes on with a person's answers. */
export async function answer({ runtime, state }: Services, last: Message, call: Call): Promise<Turn> {
  const thread = await state.threads.find(call.owner, call.threadId);
  if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
  if (!thread.interrupt) throw new SkeinError('NOT_INTERRUPTED');
  return runtime.resume({ ...call, ...answersIn(last, thread.interrupt) });
}

/** Where a turn begins that takes the place of another one; undefined: where the thread is. */
async function startOf(
  { archive }: Services,
  thread: StoredThread,
  { trigger, messageId, messages }: AiChatRequest,
): Promise<string | undefined> {
  if (trigger !== 'regenerate-message' && (messageId ?? null) === null) return undefined;
  const kept = messages.flatMap((one) => (one.role === 'assistant' && one.id !== undefined ? [one.id] : []));
  return startAfter(archive, thread, new Set(kept));
}

/** Newest first. */
export async function unfinishedRuns({ archive }: Services, owner: string, threadId: string): Promise<Run[]> {
  const thread = await archive.threads.find(owner, threadId);
  if (!thread) return [];
  const filters = (['queued', 'running'] as const).map((status) => ({ owner, thread: thread.key, status }));
  const found = await Promise.all(filters.map((filter) => archive.runs(filter, { limit: 100 })));
  return found.flatMap(({ items }) => items);
}

/** Throws WORKFLOW_NOT_FOUND, or CONFIGURATION_ERROR where its settings are missing. */
export function runnableNamed(registry: Registry, name: string): RunnableWorkflow {
  try {
    return registry.runnable(name);
  } catch (error) {
    if (!(error instanceof SkeinError && error.code === 'INVALID_WORKFLOW_TYPE')) throw error;
    const names = registry.workflows.filter(({ graph }) => graph).map((one) => one.name);
    throw new SkeinError('WORKFLOW_NOT_FOUND', { detail: `the workflows are ${names.join(', ')}` });
  }
}
