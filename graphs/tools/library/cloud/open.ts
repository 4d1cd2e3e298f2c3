/** Opens a library over an index of Azure AI Search (experimental). The index is filled and kept elsewhere. */
import { configurationError } from '../../../../state/errors.ts';
import type { Library } from '../library.ts';
import type { CloudSearchOptions } from '../options.ts';

export interface CloudTarget {
  endpoint: string;
  index: string;
  key: string;
  semanticConfiguration?: string | undefined;
}

/** Connects at the first search. Throws CONFIGURATION_ERROR, naming the field, where the settings do not say to what. */
export function openCloudLibrary(options: CloudSearchOptions | undefined): Library {
  const target = targetOf(options);
  let opened: Promise<Pick<Library, 'search'>> | undefined;

  // The client is 70 ms and 22 MB that a service with local documents need not have.
  function index(): Promise<Pick<Library, 'search'>> {
    opened ??= import('./search.ts').then(({ cloudSearch }) => cloudSearch(target));
    return opened;
  }

  return {
    search: async (query, searching) => (await index()).search(query, searching),
    add: async () => keptElsewhere(),
    remove: async () => keptElsewhere(),
    documents: async () => keptElsewhere(),
    read: async () => keptElsewhere(),
    close: async () => {},
  };
}

function targetOf(options: CloudSearchOptions = {}): CloudTarget {
  const required = (field: 'endpoint' | 'index_name' | 'api_key') => {
    const value = options[field];
    if (value) return value;
    throw configurationError(`cloud_search.${field}`, 'missing; knowledge_base.mode: cloud needs it');
  };
  return {
    endpoint: required('endpoint'),
    index: required('index_name'),
    key: required('api_key'),
    semanticConfiguration: options.semantic_configuration,
  };
}

function keptElsewhere(): never {
  throw configurationError(
    'knowledge_base.mode',
    "expected 'local' for this: the documents of a cloud index are listed, added and removed where it is kept",
  );
}
