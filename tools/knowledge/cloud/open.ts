/** Opens a library over an index of Azure AI Search (experimental). The index is filled and kept elsewhere. */
import { configurationError } from '../../../state/errors.ts';
import type { Library } from '../library.ts';
import type { CloudSearchOptions } from '../options.ts';
import { cloudSearch } from './search.ts';
import { importSearch } from './search-package.ts';
import { targetOf } from './target.ts';

/** Connects at the first search. Throws CONFIGURATION_ERROR, naming the field, where the settings do not say to what. */
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
    add: async () => keptElsewhere(),
    remove: async () => keptElsewhere(),
    documents: async () => keptElsewhere(),
    read: async () => keptElsewhere(),
    close: async () => {},
  };
}

function keptElsewhere(): never {
  throw configurationError(
    'knowledge_base.mode',
    "expected 'local' for this: the documents of a cloud index are listed, added and removed where it is kept",
  );
}
