/** The part of `@azure/search-documents` that the search uses. The package is only installed if such a service is used. */
import { importOptional } from '../../../state/optional-package.ts';

export interface SearchField {
  name: string;
  type: string;
  key?: boolean;
  hidden?: boolean;
  searchable?: boolean;
  vectorSearchProfileName?: string;
}

export interface SearchIndex {
  fields: SearchField[];
  vectorSearch?: { profiles?: { name: string; vectorizerName?: string }[] };
}

export interface PlainRequest {
  top: number;
  select: string[];
  debug: 'vector';
  vectorSearchOptions?: {
    queries: { kind: 'text'; text: string; fields: string[]; kNearestNeighborsCount: number }[];
  };
}

export type SearchRequest =
  | PlainRequest
  | (PlainRequest & { queryType: 'semantic'; semanticSearchOptions: { configurationName: string } });

/** The metadata of a hit. Its document has the fields of the index. */
export interface Hit {
  document: Record<string, unknown>;
  score: number;
  rerankerScore?: number | undefined;
  documentDebugInfo?:
    | {
        vectors?: {
          subscores?: {
            text?: { searchScore?: number } | undefined;
            vectors?: Record<string, { vectorSimilarity?: number }>[] | undefined;
          };
        };
      }
    | undefined;
}

interface ClientOptions {
  retryOptions: { maxRetries: number; retryDelayInMs: number; maxRetryDelayInMs: number };
  redirectOptions: { maxRetries: number };
  allowInsecureConnection: boolean;
}

interface Abortable {
  abortSignal: AbortSignal;
}

interface Credential {
  key: string;
}

export interface SearchModule {
  AzureKeyCredential: new (key: string) => Credential;
  SearchClient: new (
    endpoint: string,
    index: string,
    credential: Credential,
    options: ClientOptions,
  ) => {
    search(words: string, request: SearchRequest & Abortable): Promise<{ results: AsyncIterable<Hit> }>;
  };
  SearchIndexClient: new (
    endpoint: string,
    credential: Credential,
    options: ClientOptions,
  ) => { getIndex(name: string, options: Abortable): Promise<SearchIndex> };
}

/** Throws CONFIGURATION_ERROR if the package is not installed. */
export function importSearch(): Promise<SearchModule> {
  return importOptional<SearchModule>('@azure/search-documents', {
    field: 'knowledge_base.mode',
    who: "'cloud'",
  });
}
