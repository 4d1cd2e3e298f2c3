/** Waits for documents that were added beside a running service: indexed, or failed with the reason. */
import type { Document } from '../../../tools/knowledge/library.ts';
import { progressBar } from '../../terminal/progress-bar.ts';
import type { Base } from './open.ts';

const LOOK_EVERY_MS = 300;

/** Yields each document when it is done. If the process that has the index ends first, they are indexed here. */
export async function* outcomes(base: Base, names: readonly string[]): AsyncGenerator<Document> {
  const remaining = new Set(names);
  const bar = progressBar(process.stderr);
  try {
    while (remaining.size > 0) {
      const documents = await currentOf(base);
      const ended = documents.filter(({ name, state }) => remaining.has(name) && state !== 'indexing');
      const there = new Set(documents.map(({ name }) => name));
      for (const name of remaining) if (!there.has(name)) ended.push(removed(name));
      bar.clear();
      for (const document of ended) {
        remaining.delete(document.name);
        yield document;
      }
      const passages = documents.reduce((sum, { chunks }) => sum + chunks, 0);
      bar.show({ documents: names.length - remaining.size, remaining: remaining.size, passages });
      if (remaining.size > 0) await Bun.sleep(LOOK_EVERY_MS);
    }
  } finally {
    bar.clear();
  }
}

async function currentOf(base: Base): Promise<Document[]> {
  const here = base.takeOver();
  if (!here) return base.documents();
  await here.scan();
  return here.documents();
}

/** Another process has removed it. */
function removed(name: string): Document {
  const error = 'removed before it was indexed';
  return { name, state: 'failed', chunks: 0, bytes: 0, updatedAt: new Date(), error };
}
