/** Opens a library over an Azure AI Search index (experimental). The index is maintained elsewhere. */
import { configurationError } from '../../../state/errors.ts';
import type { Library } from '../library.ts';
import type { CloudSearchOptions } from '../options.ts';
import { cloudSearch } from './search.ts';
import { importSearch } from './search-package.ts';
import { targetOf } from './target.ts';

/** Connects at the first search. Throws CONFIGURATION_ERROR, naming the field, if a setting is missing. */
export function openCloudLibrary(options: CloudSearchOptions | undefined): Library {
  const target = targetOf(options);
  let opened: Promise<Pick<Library, 'search'>> | undefined;

  async function connect(): Promise<Pick<Library, 'search'>> {
    return cloudSearch(target, await importSearch());
  }

  function index(): Promise<Pick<Library, 'search'>> {
    opened ??= connect();
    return opened;
  }

  return {
    search: async (query, searching) => (await index()).search(query, searching),
    add: async () => managedElsewhere(),
    remove: async () => managedElsewhere(),
    documents: async () => managedElsewhere(),
    read: async () => managedElsewhere(),
    close: async () => {},
  };
}

function managedElsewhere(): never {
  throw configurationError(
    'knowledge_base.mode',
    "must be 'local' for this: list, add and remove the documents of a cloud index in the service that hosts it",
  );
}
