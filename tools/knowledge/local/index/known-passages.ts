/** Keeps a vocabulary in sync with the documents of an index. */

import { openVocabulary, type Vocabulary } from '../words/vocabulary.ts';
import type { Catalog } from './catalog.ts';
import type { Bodies, Passages } from './passages.ts';

export interface KnownPassages {
  /** The vocabulary of the committed documents. Removed documents are included until they are more than a quarter. */
  vocabulary(): Promise<Vocabulary>;
}

// If more revisions than this are new, all passages are read, which is as fast as looking up that many.
const MAX_NAMED = 500;
const OUTDATED = 0.25;

/** Reads nothing before its first use. The first use takes about a second with 40,000 passages. */
export function knownPassages(
  catalog: Pick<Catalog, 'entries' | 'moment'>,
  passages: Pick<Passages, 'bodies'>,
): KnownPassages {
  let vocabulary = openVocabulary();
  let known = new Set<number>();
  let moment: number | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function follow(): Promise<void> {
    const now = catalog.moment();
    if (now === moment) return;
    const wanted = new Set<number>();
    for (const { revision, chunks } of catalog.entries()) if (chunks > 0) wanted.add(revision);
    const outdated = known.difference(wanted).size;
    if (outdated > known.size * OUTDATED) {
      vocabulary = openVocabulary();
      known = new Set();
    }
    const missing = wanted.difference(known);
    if (missing.size > 0) {
      const named = missing.size <= MAX_NAMED ? [...missing] : undefined;
      for await (const batch of passages.bodies(named)) await vocabulary.learn(bodiesOf(batch, missing));
      for (const revision of missing) known.add(revision);
    }
    moment = now;
  }

  return {
    async vocabulary() {
      const followed = turn.then(follow);
      turn = followed.catch(() => {});
      await followed;
      return vocabulary;
    },
  };
}

function* bodiesOf(rows: Bodies, wanted: ReadonlySet<number>) {
  for (const { revision, body } of rows) if (wanted.has(revision)) yield body;
}
