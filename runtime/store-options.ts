/** The `store` block: who shares the store, how queries rank its items, and how long items live. */
import { type Static, Type } from '@sinclair/typebox';
import { MAX_MINUTES } from '../state/items/bounds.ts';
import type { ItemEmbedder } from '../state/items/embedding.ts';

const DAY_MINUTES = 1_440;

/** Values of `index.embed` other than a model. */
export const BUILT_IN_EMBEDDER = 'built-in';
export const NO_EMBEDDER = 'none';

const StoreIndexOptions = Type.Object(
  {
    dims: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_536,
        description: 'The number of dimensions of the vectors; unset: that of the embedder.',
      }),
    ),
    embed: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The name of a listed model with the role embedding, `built-in`, or `none`; unset: the embedder of the knowledge base.',
      }),
    ),
    fields: Type.Array(Type.String({ description: 'A path: $, a.b, a[*].b.' }), {
      default: ['$'],
      description: 'The paths of the embedded parts of an item; $ is the whole value.',
    }),
  },
  {
    additionalProperties: false,
    description:
      'Lets a query of the store rank items by meaning; unset: only if an embedding model or embedding_folder is configured.',
  },
);

const StoreTtlOptions = Type.Object(
  {
    default_ttl: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: MAX_MINUTES,
        description: 'Time to live in minutes of items that are put without one; unset: they never expire.',
      }),
    ),
    refresh_on_read: Type.Boolean({
      default: true,
      description: 'A read restarts the time to live of an item.',
    }),
    sweep_interval_minutes: Type.Number({
      default: 10,
      exclusiveMinimum: 0,
      maximum: DAY_MINUTES,
      description: 'Minutes between two deletions of expired items.',
    }),
  },
  { additionalProperties: false, default: {}, description: 'The time to live of items.' },
);

export const StoreOptions = Type.Object(
  {
    shared: Type.Boolean({
      default: false,
      description: "All callers share one store; otherwise, a run only sees its caller's items.",
    }),
    index: Type.Optional(StoreIndexOptions),
    ttl: StoreTtlOptions,
  },
  {
    additionalProperties: false,
    default: {},
    description: 'The store, in which graphs keep items beyond a thread.',
  },
);

export type StoreOptions = Static<typeof StoreOptions>;

/** Field names as in langgraph.json's `store.index`. */
export interface StoreIndex {
  /** The number of dimensions; undefined: that of the embedder's vectors. */
  dims?: number | undefined;
  embed: OpenEmbedder | Embeddings | EmbedTexts;
  /** The paths of the parts of an item that are embedded, unless its `put` names others; default: the whole value. */
  fields?: readonly string[] | undefined;
}

/** An embedder of the service, which is opened at the first use. */
interface OpenEmbedder {
  open(): Promise<ItemEmbedder>;
}

/** LangChain's `Embeddings` by its shape, because a project may use its own copy of LangChain. */
export interface Embeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
  model?: unknown;
  modelName?: unknown;
}

/** Returns one vector per text. */
export type EmbedTexts = (texts: string[]) => number[][] | Promise<number[][]>;
