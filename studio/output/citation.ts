/** The sources that an agent cites. */

export interface Citation {
  n: number;
  document: string;
  heading: string;
  page: number | null;
  score: number | null;
  quote: string;
}

/** Undefined if the result has no list of citations. */
export function citationsIn(data: unknown): Citation[] | undefined {
  const { citations } = (data ?? {}) as { citations?: unknown };
  if (!Array.isArray(citations)) return undefined;
  return citations.flatMap((one: unknown, index) => {
    const { n, document, heading, page, score, quote } = (one ?? {}) as Record<string, unknown>;
    if (typeof document !== 'string') return [];
    return {
      n: typeof n === 'number' ? n : index + 1,
      document,
      heading: typeof heading === 'string' ? heading : '',
      page: typeof page === 'number' ? page : null,
      score: typeof score === 'number' ? score : null,
      quote: typeof quote === 'string' ? quote : '',
    };
  });
}

export function placeOf({ heading, page }: Citation): string {
  return [heading, page === null ? '' : `page ${page}`].filter(Boolean).join(' · ');
}
