/** The `knowledge_base` and `cloud_search` blocks: the documents that agents search, and the location of their index. */
import { type Static, Type } from '@sinclair/typebox';
import { StorageCredentials } from './storage/options.ts';

export const KnowledgeBaseOptions = Type.Object(
  {
    mode: Type.Union([Type.Literal('local'), Type.Literal('cloud')], {
      default: 'local',
      description:
        'Local vector store, or the cloud search service of the `cloud_search` block (experimental).',
    }),
    documents_path: Type.String({
      default: './.tmp/knowledge_base',
      minLength: 1,
      path: true,
      description:
        'The folder of the documents, or an address: s3://bucket/prefix, az://container/prefix, gs://bucket/prefix.',
    }),
    index_path: Type.String({
      default: './.tmp/knowledge_index',
      minLength: 1,
      path: true,
      description: 'The folder of the index, or an address; it is rebuilt if you delete it.',
    }),
    endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s@?#]+$',
        expected: 'an http or https URL without credentials',
        description: 'URL of a compatible object store, instead of the default one of s3://, az:// or gs://.',
      }),
    ),
    region: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9-]{1,64}$',
        expected: 'a region such as eu-central-1',
        description: 'Region of s3:// (us-east-1).',
      }),
    ),
    credentials: Type.Optional(StorageCredentials),
    seed_samples: Type.Optional(
      Type.Boolean({
        description:
          'Puts sample documents into an empty folder; unset: only if documents_path is the default.',
      }),
    ),
    embedding_folder: Type.Optional(
      Type.String({ minLength: 1, path: true, description: 'The folder of a local embedding model.' }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'The documents that agents search.' },
);

export type KnowledgeBaseOptions = Static<typeof KnowledgeBaseOptions>;

export const CloudSearchOptions = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://\\S+$',
        expected: 'an http or https URL',
        description: 'URL of the search service.',
      }),
    ),
    index_name: Type.Optional(Type.String({ minLength: 1, description: 'The index that is searched.' })),
    api_key: Type.Optional(Type.String({ minLength: 1, secret: true, description: "The service's key." })),
    semantic_configuration: Type.Optional(
      Type.String({ minLength: 1, description: 'The semantic configuration used for ranking.' }),
    ),
  },
  { additionalProperties: false, description: 'The cloud search service, used with `mode: cloud`.' },
);

export type CloudSearchOptions = Static<typeof CloudSearchOptions>;
