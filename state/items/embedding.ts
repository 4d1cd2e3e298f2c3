/** What is embedded of items and of what they are searched for, and with which errors. */
import type { PutOperation } from '@langchain/langgraph-checkpoint';
import { configurationError, SkeinError } from '../errors.ts';
import { InvalidItemError } from './bounds.ts';
import { textsOf } from './texts.ts';
import { type ItemVectors, type Nearness, unitVector } from './vectors.ts';

/** How a store embeds. */
export interface ItemIndex {
  /** Names model and version: vectors of different names are never compared. */
  readonly name: string;
  /** How many numbers a vector must have; undefined: as many as it comes with. */
  readonly dims?: number | undefined;
  /** The paths of what is embedded where a put does not say. */
  readonly fields: readonly string[];
  /** One vector a text, in the order of the texts. */
  embed(texts: readonly string[], use: 'passage' | 'query'): Promise<readonly ArrayLike<number>[]>;
}

// What a search compares between two turns of the event loop, and what an embedder is asked for at a time.
const MOST_TEXTS = 1_000;

/** Throws InvalidItemError. */
export function textsToEmbed({ fields }: ItemIndex, { value, index }: PutOperation): string[] {
  if (value === null || index === false) return [];
  const paths = index ?? fields;
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
    throw new InvalidItemError('An item’s index must be false or a list of paths.');
  const texts = textsOf(value, paths);
  if (texts.length > MOST_TEXTS)
    throw new InvalidItemError(
      `An item has at most ${MOST_TEXTS} texts to embed, not ${texts.length}; choose other paths in its index.`,
    );
  return texts;
}

/** The vectors of each item, null for one without texts. Equal texts are embedded once. Throws as `embed` does. */
export async function embedItems(index: ItemIndex, items: string[][]): Promise<(ItemVectors | null)[]> {
  const texts = [...new Set(items.flat())];
  if (texts.length === 0) return items.map(() => null);
  const vectors = await embed(index, texts, 'passage');
  const byText = new Map(texts.map((text, at) => [text, vectors[at] ?? NOTHING]));
  return items.map((own) =>
    packed(
      index,
      own.map((text) => byText.get(text) ?? NOTHING),
    ),
  );
}

/** What to rank by for each query. Throws as `embed` does. */
export async function embedQueries(index: ItemIndex, queries: string[]): Promise<Map<string, Nearness>> {
  const texts = [...new Set(queries)];
  if (texts.length === 0) return new Map();
  const vectors = await embed(index, texts, 'query');
  return new Map(texts.map((text, at) => [text, { embedder: index.name, vector: vectors[at] ?? NOTHING }]));
}

const NOTHING = new Float32Array();

function packed({ name }: ItemIndex, vectors: Float32Array[]): ItemVectors | null {
  const [first] = vectors;
  if (!first) return null;
  const data = new Float32Array(first.length * vectors.length);
  vectors.forEach((vector, at) => {
    data.set(vector, at * first.length);
  });
  return { embedder: name, dims: first.length, data };
}

/** All of one length. Throws MODEL_CALL_FAILED, and CONFIGURATION_ERROR where the vectors have another length. */
async function embed(index: ItemIndex, texts: string[], use: 'passage' | 'query'): Promise<Float32Array[]> {
  const given = await index.embed(texts, use).catch((cause: unknown) => {
    throw failed(cause);
  });
  if (!Array.isArray(given) || given.length !== texts.length)
    throw failed(undefined, `expected ${texts.length} vectors`);
  const vectors = given.map(vectorOf);
  const dims = index.dims ?? vectors[0]?.length;
  const other = vectors.find(({ length }) => length !== dims);
  if (other)
    throw configurationError(
      'store.index.dims',
      `the vectors of the embedder "${index.name}" have ${other.length} dimensions, not ${dims}`,
    );
  return vectors;
}

function vectorOf(given: ArrayLike<number> | undefined): Float32Array {
  const isVector = Array.isArray(given) || given instanceof Float32Array || given instanceof Float64Array;
  const unit = isVector && given.length > 0 ? unitVector(given) : undefined;
  if (!unit?.every(Number.isFinite)) throw failed(undefined, 'a vector is not a list of finite numbers');
  return unit;
}

/** Errors of the configuration say what to do themselves. */
function failed(cause: unknown, detail?: string): SkeinError {
  if (cause instanceof SkeinError && cause.code !== 'MODEL_CALL_FAILED') return cause;
  const own = cause instanceof SkeinError ? cause.detail : detail;
  return new SkeinError('MODEL_CALL_FAILED', {
    message: 'The embedding model of the store failed; the operation had no effect',
    ...(own === undefined ? {} : { detail: own }),
    cause,
  });
}
