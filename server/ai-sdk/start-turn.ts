/** Starts or resumes the turn of a chat request, and finds the unfinished runs of a chat. */
import type { ResumeRequest, Turn } from '../../runtime/intake/turn.ts';
import { startAfter } from '../../runtime/threads/turn-starts.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import { SkeinError } from '../../state/errors.ts';
import type { StoredThread } from '../../state/threads/archive.ts';
import type { Run } from '../../state/threads/runs.ts';
import type { Services } from '../services.ts';
import { resumeValuesOf } from './resume-calls.ts';
import type { AiChatRequest, Message } from './schema.ts';
import { parseUserMessage } from './user-message.ts';

export type Call = Pick<ResumeRequest, 'owner' | 'threadId' | 'requestId' | 'traceparent' | 'idempotency'>;

/** Starts the turn of a user message. Throws INVALID_REQUEST, CHECKPOINT_NOT_FOUND and the errors of the runtime. */
export async function startTurn(
  services: Services,
  workflow: RunnableWorkflow,
  { call, body }: { call: Call; body: AiChatRequest },
): Promise<Turn> {
  const last = body.messages.at(-1);
  if (last?.role !== 'user')
    throw new SkeinError('INVALID_REQUEST', {
      detail: 'messages: the last message must have the role user or assistant',
    });
  const userMessage = parseUserMessage(last);
  const thread = await services.archive.threads.find(call.owner, call.threadId);
  const checkpointId = thread && (await startCheckpoint(services, thread, body));
  const isFree = !thread || (thread.status !== 'busy' && thread.status !== 'interrupted');
  return services.runtime.turn({
    ...{ ...call, ...userMessage, workflow: workflow.name, checkpointId },
    // A new message replaces a run that the page no longer listens to. Checking the status is cheaper than superseding
    // when there is nothing to supersede.
    strategy: isFree ? 'enqueue' : 'supersede',
  });
}

/** Resumes the thread with the answers in the last message. Throws THREAD_NOT_FOUND, NOT_INTERRUPTED, INTERRUPT_NOT_FOUND. */
export async function resumeTurn({ runtime, state }: Services, last: Message, call: Call): Promise<Turn> {
  const thread = await state.threads.find(call.owner, call.threadId);
  if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
  if (!thread.interrupt) throw new SkeinError('NOT_INTERRUPTED');
  return runtime.resume({ ...call, ...resumeValuesOf(last, thread.interrupt) });
}

/** The checkpoint at which a turn starts that replaces another one; undefined to continue at the thread's head. */
async function startCheckpoint(
  { archive }: Services,
  thread: StoredThread,
  { trigger, messageId, messages }: AiChatRequest,
): Promise<string | undefined> {
  if (trigger !== 'regenerate-message' && (messageId ?? null) === null) return undefined;
  const keptIds = messages.flatMap(({ role, id }) => (role === 'assistant' && id !== undefined ? [id] : []));
  return startAfter(archive, thread, new Set(keptIds));
}

/** The queued runs, then the running ones, each newest first. */
export async function unfinishedRuns({ archive }: Services, owner: string, threadId: string): Promise<Run[]> {
  const thread = await archive.threads.find(owner, threadId);
  if (!thread) return [];
  const filters = (['queued', 'running'] as const).map((status) => ({ owner, thread: thread.key, status }));
  const pages = await Promise.all(filters.map((filter) => archive.runs(filter, { limit: 100 })));
  return pages.flatMap(({ items }) => items);
}
