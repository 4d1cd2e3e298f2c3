/** Converts a hit of the search service to a passage, and decides whether it is relevant. */
import type { Passage } from '../library.ts';
import type { IndexFields } from './fields.ts';
import type { Hit } from './search-package.ts';

// Longer text is not a passage, and would fill a prompt.
const LONGEST_TEXT = 20_000;
const LONGEST_NAME = 1_024;

/** If the index has no offsets, they are counted from the start of the passage. */
export function passageOf(hit: Hit, fields: IndexFields): Passage {
  const text = textAt(hit.document, fields.text).slice(0, LONGEST_TEXT).toWellFormed();
  const name = (field: string | undefined) =>
    textAt(hit.document, field).slice(0, LONGEST_NAME).toWellFormed();
  const { text: words, vectors = [] } = hit.documentDebugInfo?.vectors?.subscores ?? {};
  const cosines = vectors.flatMap(Object.values).flatMap(({ vectorSimilarity }) => vectorSimilarity ?? []);
  const start = wholeAt(hit.document, fields.start) ?? 0;
  return {
    id: name(fields.key),
    document: name(fields.document) || name(fields.key),
    heading: fields.headings.map(name).filter(Boolean).join(' > '),
    page: wholeAt(hit.document, fields.page),
    start,
    end: wholeAt(hit.document, fields.end) ?? start + text.length,
    text,
    context: text,
    scores: {
      vector: cosines.length > 0 ? Math.max(...cosines) : null,
      text: words?.searchScore || null,
      fused: hit.score,
    },
  };
}

function textAt(document: Record<string, unknown>, field: string | undefined): string {
  const value = field === undefined ? undefined : document[field];
  return typeof value === 'string' ? value : '';
}

function wholeAt(document: Record<string, unknown>, field: string | undefined): number | null {
  const value = field === undefined ? undefined : document[field];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
