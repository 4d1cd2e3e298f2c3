/** The wire schema of a thread, and how routes look up a thread. */
import { type Static, Type } from '@sinclair/typebox';
import { SkeinError } from '../../state/errors.ts';
import type { Archive, StoredThread } from '../../state/threads/archive.ts';
import type { RunUsage } from '../../state/threads/runs.ts';
import { ownerOf } from '../authentication/identity.ts';
import type { OwnedRead } from '../authentication/operators.ts';
import { FirstInterrupt, InterruptBody, StopBody, toInterruptBodies } from '../chat/interrupts.ts';
import { toUsageBody, UsageBody } from '../http/schemas/usage-schema.ts';
import type { Services } from '../services.ts';

const ThreadKey = Type.String({ description: 'The id of the thread' });

export const ThreadStatus = Type.Union(
  [Type.Literal('idle'), Type.Literal('busy'), Type.Literal('interrupted'), Type.Literal('error')],
  {
    description:
      'busy: a turn is running or waiting; interrupted: it is waiting for a person; error: the last turn failed',
  },
);

export const OwnerField = Type.Optional(
  Type.String({ description: 'The caller who owns it. Only if the request has the parameter owner' }),
);

export const ThreadEntry = Type.Object(
  {
    thread_id: ThreadKey,
    title: Type.String({ description: 'By default, the beginning of the first question' }),
    workflow: Type.String({ description: 'The workflow of the last turn' }),
    status: ThreadStatus,
    message_count: Type.Integer({ description: 'The number of stored messages' }),
    created_at: Type.String({ format: 'date-time', description: 'When it was created' }),
    updated_at: Type.String({ format: 'date-time', description: 'The end of the last turn' }),
    owner: OwnerField,
    parent: Type.Union(
      [
        Type.Object({
          thread_id: Type.String({ description: 'The thread that was forked' }),
          checkpoint_id: Type.String({ description: 'The checkpoint in that thread' }),
        }),
        Type.Null(),
      ],
      {
        description: 'The checkpoint from which the thread was forked',
      },
    ),
  },
  { title: 'ThreadEntry' },
);

export const ThreadBody = Type.Composite(
  [
    ThreadEntry,
    Type.Object({
      interrupt: FirstInterrupt,
      interrupts: Type.Array(InterruptBody, { description: 'All pending questions' }),
      stopped_at: Type.Array(StopBody, { description: 'The breakpoints at which the thread stopped' }),
      metadata: Type.Record(Type.String(), Type.Unknown(), { description: 'Your own data about the thread' }),
      usage: Type.Optional(UsageBody),
    }),
  ],
  { title: 'Thread' },
);
export type ThreadBody = Static<typeof ThreadBody>;

export const threadParams = Type.Object({ thread_id: ThreadKey });

/** Throws THREAD_NOT_FOUND for an unknown thread and for another caller's thread. */
export async function threadOf(archive: Archive, request: Request, threadId: string): Promise<StoredThread> {
  const thread = await archive.threads.find(ownerOf(request), threadId);
  if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
  return thread;
}

/** Like `threadOf`, for reads whose query may name another owner. */
export async function readThreadOf(
  { archive, operators }: Pick<Services, 'archive' | 'operators'>,
  read: OwnedRead,
  threadId: string,
): Promise<StoredThread> {
  const thread = await archive.threads.find(operators.ofThread(read, threadId), threadId);
  if (!thread) throw new SkeinError('THREAD_NOT_FOUND');
  return thread;
}

/** The field `owner` of a response, which only requests with the parameter `owner` get. */
export function namedOwner({ owner: parameter }: { owner?: string | undefined }, owner: string) {
  return parameter === undefined ? {} : { owner };
}

export function toThreadEntry(thread: StoredThread): Static<typeof ThreadEntry> {
  const { parent } = thread;
  return {
    thread_id: thread.threadId,
    title: thread.title,
    workflow: thread.workflow,
    status: thread.status,
    message_count: thread.messageCount,
    created_at: new Date(thread.createdAt).toISOString(),
    updated_at: new Date(thread.updatedAt).toISOString(),
    parent: parent && { thread_id: parent.threadId, checkpoint_id: parent.checkpointId },
  };
}

/** The response only has `usage` if the runs have a cost. */
export function toThreadBody(thread: StoredThread, usage?: RunUsage): ThreadBody {
  const { interrupt, metadata } = thread;
  return {
    ...toThreadEntry(thread),
    ...toInterruptBodies(interrupt ?? { interrupts: [], stoppedAt: [] }),
    metadata,
    ...(usage?.cost !== undefined && { usage: toUsageBody(usage) }),
  };
}
