/** Finds the thread that a path names, as LangGraph's clients are told of one that is not found. */
import type { Archive, StoredThread } from '../../../state/archive.ts';
import { SkeinError } from '../../../state/errors.ts';
import { ownerOf } from '../../authentication/identity.ts';

/** Throws THREAD_NOT_FOUND for an unknown thread and for somebody else's. */
export async function foundThread(archive: Archive, request: Request, id: string): Promise<StoredThread> {
  const thread = await archive.threads.find(ownerOf(request), id);
  if (!thread) throw new SkeinError('THREAD_NOT_FOUND', { detail: `Thread with ID ${shown(id)} not found` });
  return thread;
}

/** An id that could be one; nothing else is repeated. */
function shown(id: string): string {
  return /^[\w.:-]{1,128}$/.test(id) ? id : '?';
}
