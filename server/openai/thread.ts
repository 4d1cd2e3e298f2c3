/** The thread of a request, and the deletion of a thread that isn't kept. */
import { Value } from '@sinclair/typebox/value';
import type { Turn } from '../../runtime/intake/turn.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import { ThreadId } from '../http/schemas/thread-id.ts';
import { onDisconnect } from '../http/streams/disconnect.ts';

export const THREAD_HEADER = 'x-thread-id';

/** Returns undefined if the request has no thread id. Throws INVALID_REQUEST if the id is invalid or ambiguous. */
export function requestedThreadId(
  { headers }: Request,
  metadata: Record<string, unknown> | null | undefined,
): string | undefined {
  const ids = {
    'X-Thread-Id': headers.get(THREAD_HEADER) ?? undefined,
    'metadata.thread_id': metadata?.thread_id ?? undefined,
  };
  for (const [source, id] of Object.entries(ids)) {
    if (id !== undefined && !Value.Check(ThreadId, id))
      throw new SkeinError('INVALID_REQUEST', { detail: `${source}: expected ${ThreadId.description}` });
  }
  const [id, other = id] = Object.values(ids).filter((value) => value !== undefined) as string[];
  if (id !== other)
    throw new SkeinError('INVALID_REQUEST', {
      detail: 'metadata.thread_id: must be the same as X-Thread-Id',
    });
  return id;
}

/** An interrupt of a turn whose thread isn't kept can't be answered. `remedy` starts with the parameter to change. */
export function unanswerableInterrupt(remedy: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', {
    message: 'The workflow raised an interrupt, but its thread is not kept',
    detail: remedy,
  });
}

/**
 * Returns a function that deletes the turn's thread when the turn has ended. It may be called repeatedly. It is also called
 * when the client disconnects, because a stream that is never read doesn't call it. A sweep deletes threads that remain.
 */
export function deleteThreadAfter(runtime: Runtime, { request, turn }: { request: Request; turn: Turn }) {
  const owner = ownerOf(request);
  let stopListening = () => {};
  const deleteThread = async () => {
    stopListening();
    await turn.ended.catch(() => {});
    await runtime.expireThread(owner, turn.threadId, Number.MAX_SAFE_INTEGER).catch(() => false);
  };
  stopListening = onDisconnect(request.signal, () => void deleteThread());
  return deleteThread;
}
