/** Erases a caller: stops its runs and deletes all of its data. */

import type { DocumentAuthors } from '../../state/callers/document-authors.ts';
import type { Erasure, OwnedCounts } from '../../state/callers/erasure.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Removal } from '../../state/threads/archive.ts';
import type { KnowledgeBase } from '../../tools/knowledge/open.ts';
import type { Runtime } from '../runtime.ts';

export interface CallerErasureParts {
  erasure: Erasure;
  removal: Pick<Removal, 'scrub'>;
  runtime: Pick<Runtime, 'deleteThread'>;
  documentAuthors: DocumentAuthors;
  knowledge: Pick<KnowledgeBase, 'mode' | 'open'>;
}

type Erased = OwnedCounts & { documents: number };

/**
 * Returns how much was deleted. Threads that the caller creates in the meantime may remain. After a failure, call it again
 * to continue.
 */
export type EraseCaller = (owner: string) => Promise<Erased>;

const THREADS_AT_ONCE = 100;

export function callerErasure(parts: CallerErasureParts): EraseCaller {
  const { erasure, removal, runtime, documentAuthors, knowledge } = parts;

  async function threads(owner: string): Promise<void> {
    const now = Date.now();
    for (;;) {
      const found = await erasure.threads(owner, now, THREADS_AT_ONCE);
      if (found.length === 0) return;
      for (const threadId of found)
        await runtime.deleteThread(owner, threadId, { scrub: false }).catch((error: unknown) => {
          const isGone = error instanceof SkeinError && error.code === 'THREAD_NOT_FOUND';
          if (!isGone) throw error;
        });
    }
  }

  async function documents(names: readonly string[]): Promise<void> {
    for (const name of names) {
      // Uploads don't reach a cloud index, so in cloud mode the authors are left over from an earlier local index.
      if (knowledge.mode === 'local') await knowledge.open().remove(name);
      await documentAuthors.remove(name);
    }
  }

  return async (owner) => {
    const uploaded = await documentAuthors.by(owner);
    const counts = await erasure.count(owner);
    try {
      await erasure.outsideThreads(owner);
      await threads(owner);
      // Repeat it, because the caller's runs may have written data before they stopped.
      await erasure.outsideThreads(owner);
      await documents(uploaded);
    } finally {
      await removal.scrub();
    }
    return { ...counts, documents: uploaded.length };
  };
}
