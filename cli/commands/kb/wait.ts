/** How documents that were put beside a running service end: indexed, or failed with the reason. */
import type { Document } from '../../../tools/knowledge/library.ts';
import { progressBar } from '../../terminal/progress-bar.ts';
import type { Base } from './open.ts';

const LOOK_EVERY_MS = 300;

/** Gives each as it ends. Where the process that has the index ends before, they are indexed here. */
export async function* outcomes(base: Base, names: readonly string[]): AsyncGenerator<Document> {
  const left = new Set(names);
  const bar = progressBar(process.stderr);
  try {
    while (left.size > 0) {
      const documents = await currentOf(base);
      const ended = documents.filter(({ name, state }) => left.has(name) && state !== 'indexing');
      const there = new Set(documents.map(({ name }) => name));
      for (const name of left) if (!there.has(name)) ended.push(removed(name));
      bar.clear();
      for (const document of ended) {
        left.delete(document.name);
        yield document;
      }
      const passages = documents.reduce((sum, { chunks }) => sum + chunks, 0);
      bar.show({ documents: names.length - left.size, left: left.size, passages });
      if (left.size > 0) await Bun.sleep(LOOK_EVERY_MS);
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

/** By somebody else, meanwhile. */
function removed(name: string): Document {
  const error = 'It was removed before it was indexed';
  return { name, state: 'failed', chunks: 0, bytes: 0, updatedAt: new Date(), error };
}
