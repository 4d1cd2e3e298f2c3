/** Embeds the texts of items and of queries. */
import type { PutOperation } from '@langchain/langgraph-checkpoint';
import { configurationError, SkeinError } from '../errors.ts';
import { InvalidItemError } from './bounds.ts';
import { textsOf } from './texts.ts';
import { type ItemVectors, type QueryVector, unitVector } from './vectors.ts';

/** The vector index of a store: which fields are embedded, and the embedder. */
export interface ItemIndex {
  /** Required dimensions of the vectors; undefined: any. */
  readonly dims?: number | undefined;
  /** Paths to embed if a put does not specify them. */
  readonly fields: readonly string[];
  /** Called before each embedding. Must always return the same embedder. */
  open(): Promise<ItemEmbedder>;
}

export interface ItemEmbedder {
  /** Identifies model and version. Vectors of embedders with different names are never compared. */
  readonly name: string;
  /** One vector per text, in the order of the texts. */
  embed(texts: readonly string[], use: 'passage' | 'query'): Promise<readonly ArrayLike<number>[]>;
}

// Limited because one call of the embedder creates all vectors of an item, and a search compares them without a pause.
const MAX_TEXTS = 1_000;

/** The texts of a put to embed. Throws InvalidItemError. */
export function textsToEmbed({ fields }: ItemIndex, { value, index }: PutOperation): string[] {
  if (value === null || index === false) return [];
  const paths = index ?? fields;
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
    throw new InvalidItemError('An item’s index must be false or a list of paths.');
  const texts = textsOf(value, paths);
  if (texts.length > MAX_TEXTS)
    throw new InvalidItemError(
      `An item has at most ${MAX_TEXTS} texts to embed, not ${texts.length}; choose other paths in its index.`,
    );
  return texts;
}

/** The vectors of each item; null for an item without texts. Equal texts are embedded once. Throws like `embed`. */
export async function embedItems(index: ItemIndex, items: string[][]): Promise<(ItemVectors | null)[]> {
  const texts = [...new Set(items.flat())];
  const { embedder, vectors } = await embed(index, texts, 'passage');
  const byText = new Map(texts.map((text, at) => [text, vectors[at] ?? EMPTY]));
  const vectorsOf = (own: string[]) => own.map((text) => byText.get(text) ?? EMPTY);
  return items.map((own) => (own.length === 0 ? null : packed(embedder, vectorsOf(own))));
}

/** The vector of each query. Throws like `embed`. */
export async function embedQueries(index: ItemIndex, queries: string[]): Promise<Map<string, QueryVector>> {
  const texts = [...new Set(queries)];
  const { embedder, vectors } = await embed(index, texts, 'query');
  return new Map(texts.map((text, at) => [text, { embedder, vector: vectors[at] ?? EMPTY }]));
}

const EMPTY = new Float32Array();

function packed(embedder: string, vectors: Float32Array[]): ItemVectors {
  const dims = vectors[0]?.length ?? 0;
  const data = new Float32Array(dims * vectors.length);
  vectors.forEach((vector, at) => {
    data.set(vector, at * dims);
  });
  return { embedder, dims, data };
}

interface Embedded {
  embedder: string;
  /** All of the same length. */
  vectors: Float32Array[];
}

/** Throws MODEL_CALL_FAILED, and CONFIGURATION_ERROR if the vectors don't have the required dimensions. */
async function embed(index: ItemIndex, texts: string[], use: 'passage' | 'query'): Promise<Embedded> {
  const { embedder, given } = await ask(index, texts, use);
  if (!Array.isArray(given) || given.length !== texts.length)
    throw failed(undefined, `expected ${texts.length} vectors`);
  const vectors = given.map(vectorOf);
  const dims = index.dims ?? vectors[0]?.length;
  const other = vectors.find(({ length }) => length !== dims);
  if (other)
    throw configurationError(
      'store.index.dims',
      `the vectors of the embedder "${embedder}" have ${other.length} dimensions, not ${dims}`,
    );
  return { embedder, vectors };
}

async function ask(index: ItemIndex, texts: string[], use: 'passage' | 'query') {
  try {
    const opened = await index.open();
    return { embedder: opened.name, given: await opened.embed(texts, use) };
  } catch (cause) {
    throw failed(cause);
  }
}

function vectorOf(given: ArrayLike<number> | undefined): Float32Array {
  const isVector = Array.isArray(given) || given instanceof Float32Array || given instanceof Float64Array;
  const unit = isVector && given.length > 0 ? unitVector(given) : undefined;
  if (!unit?.every(Number.isFinite)) throw failed(undefined, 'a vector is not a list of finite numbers');
  return unit;
}

/** Other errors of the service, such as CONFIGURATION_ERROR, are passed on, because they say what to do. */
function failed(cause: unknown, detail?: string): SkeinError {
  if (cause instanceof SkeinError && cause.code !== 'MODEL_CALL_FAILED') return cause;
  const own = cause instanceof SkeinError ? cause.detail : detail;
  return new SkeinError('MODEL_CALL_FAILED', {
    message: 'The embedding model of the store failed; the operation had no effect',
    ...(own === undefined ? {} : { detail: own }),
    cause,
  });
}
