/** Finds the thread of a path, with the error that LangGraph's clients expect. */

import { SkeinError } from '../../../state/errors.ts';
import type { Archive, StoredThread } from '../../../state/threads/archive.ts';
import { ownerOf } from '../../authentication/identity.ts';

/** Throws THREAD_NOT_FOUND for unknown threads and for those of other callers. */
export async function findThread(archive: Archive, request: Request, id: string): Promise<StoredThread> {
  const thread = await archive.threads.find(ownerOf(request), id);
  if (!thread)
    throw new SkeinError('THREAD_NOT_FOUND', { detail: `Thread with ID ${printable(id)} not found` });
  return thread;
}

/** Echoes the id only if it has the form of an id. */
function printable(id: string): string {
  return /^[\w.:-]{1,128}$/.test(id) ? id : '?';
}
