/** The thread that a request names, and what becomes of one that it does not name. */
import { Value } from '@sinclair/typebox/value';
import type { Turn } from '../../runtime/intake/turn.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { SkeinError } from '../../state/errors.ts';
import { ownerOf } from '../authentication/identity.ts';
import { whenCallerGone } from '../http/caller-gone.ts';
import { ThreadId } from '../http/thread-id.ts';

export const THREAD_HEADER = 'x-thread-id';

/** Undefined where it names none. Throws INVALID_REQUEST. */
export function threadNamed(
  { headers }: Request,
  metadata: Record<string, unknown> | null | undefined,
): string | undefined {
  const named = {
    'X-Thread-Id': headers.get(THREAD_HEADER) ?? undefined,
    'metadata.thread_id': metadata?.thread_id ?? undefined,
  };
  for (const [place, id] of Object.entries(named)) {
    if (id !== undefined && !Value.Check(ThreadId, id))
      throw new SkeinError('INVALID_REQUEST', { detail: `${place}: expected ${ThreadId.description}` });
  }
  const [id, other = id] = Object.values(named).filter((one) => one !== undefined) as string[];
  if (id !== other)
    throw new SkeinError('INVALID_REQUEST', {
      detail: 'metadata.thread_id: names another thread than X-Thread-Id',
    });
  return id;
}

/** Of a turn whose thread goes with it, nobody can answer what it asks. `remedy` names the parameter first. */
export function unansweredQuestion(remedy: string): SkeinError {
  return new SkeinError('INVALID_REQUEST', { message: 'The workflow asks a person', detail: remedy });
}

/**
 * Returns what deletes the thread of a turn that leaves none, once it has ended; it may be called again. A caller that goes
 * away early never reads its stream, so that is heard of as well. A sweep deletes what is left.
 */
export function forgetting(runtime: Runtime, { request, turn }: { request: Request; turn: Turn }) {
  const owner = ownerOf(request);
  let leave = () => {};
  const forget = async () => {
    leave();
    await turn.ended.catch(() => {});
    await runtime.expireThread(owner, turn.threadId, Number.MAX_SAFE_INTEGER).catch(() => false);
  };
  leave = whenCallerGone(request.signal, () => void forget());
  return forget;
}
