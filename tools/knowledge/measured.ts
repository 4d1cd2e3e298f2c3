/** A knowledge base that measures its searches, and reports them as spans if tracing is on. */
import { type Tracing, traced } from '../telemetry/tracing.ts';
import type { Library, SearchOptions, SearchResult } from './library.ts';
import type { KnowledgeBase } from './open.ts';

export interface Measures {
  searched(seconds: number): void;
  tracing?: Tracing | undefined;
}

export function measuredKnowledge(knowledge: KnowledgeBase, measures: Measures): KnowledgeBase {
  const known = new WeakMap<Library, Library>();
  return {
    ...knowledge,
    // Returns the same library each time, like the wrapped knowledge base.
    open() {
      const library = knowledge.open();
      const measured = known.get(library) ?? measuredLibrary(library, measures);
      known.set(library, measured);
      return measured;
    },
  };
}

function measuredLibrary(library: Library, { searched, tracing }: Measures): Library {
  async function timed(query: string, options?: SearchOptions): Promise<SearchResult> {
    const began = performance.now();
    try {
      return await library.search(query, options);
    } finally {
      searched((performance.now() - began) / 1000);
    }
  }
  return {
    ...library,
    search: (query, options) =>
      tracing ? tracedSearch(tracing, query, options, timed) : timed(query, options),
  };
}

const SOURCE = 'knowledge_base';

function tracedSearch(
  tracing: Tracing,
  query: string,
  options: SearchOptions | undefined,
  search: Library['search'],
): Promise<SearchResult> {
  const span = tracing.begin(`retrieval ${SOURCE}`, {
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.data_source.id': SOURCE,
      'gen_ai.retrieval.top_k': options?.limit,
      'gen_ai.retrieval.query.text': tracing.content ? query : undefined,
    },
  });
  return traced(
    tracing,
    span,
    () => search(query, options),
    ({ found, passages }) => {
      const documents = passages.map(({ id, document, scores, text }) => ({
        ...{ id, source_id: document, score: scores.fused, content: text },
      }));
      span.set({
        'skein.retrieval.found': found,
        'skein.retrieval.passages': passages.length,
        'gen_ai.retrieval.documents': tracing.content ? JSON.stringify(documents) : undefined,
      });
    },
  );
}
