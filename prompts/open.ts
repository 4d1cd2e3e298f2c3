/** Opens the prompt files of the configured storage: a store for editing, and a source for model calls. */
import type { PromptFiles } from '../state/resources/prompt-files.ts';
import { azureBackend } from './azure/backend.ts';
import { openBlobs } from './azure/blobs.ts';
import { openContainer } from './azure/container.ts';
import { azureSource } from './azure/source.ts';
import { layeredStore } from './layered-store.ts';
import { localSource } from './local/source.ts';
import { localStore } from './local/store.ts';
import type { PromptsOptions } from './options.ts';
import { postgresBackend } from './postgres/backend.ts';
import { postgresSource } from './postgres/source.ts';
import type { PromptSource } from './prompts.ts';
import type { PromptStore } from './store.ts';

export interface PromptStorage {
  store: PromptStore;
  source: PromptSource;
  /** The location, for display. */
  label: string;
}

/** Throws CONFIGURATION_ERROR. Connects at first use. `files`: the prompt files in the state's database. */
export async function openPromptStorage(
  { storage, path, azure }: PromptsOptions,
  shipped: PromptSource,
  files?: PromptFiles,
): Promise<PromptStorage> {
  if (storage === 'local')
    return { store: localStore({ path, shipped }), source: localSource(path, shipped), label: path };
  if (storage === 'postgresql') return inDatabase(files, shipped);
  const container = await openContainer(azure);
  const blobs = openBlobs(container, azure?.prefix ?? '');
  const source = azureSource({ blobs, shipped });
  const backend = azureBackend({ blobs, wrote: source.wrote });
  return {
    store: layeredStore({ backend, shipped }),
    source,
    label: containerLabel(container, azure?.prefix),
  };
}

function inDatabase(files: PromptFiles | undefined, shipped: PromptSource): PromptStorage {
  if (!files) throw new Error('prompt files in the database require state in a database');
  const source = postgresSource({ files, shipped });
  const backend = postgresBackend({ files, wrote: source.wrote });
  return { store: layeredStore({ backend, shipped }), source, label: 'the database of chat_history' };
}

function containerLabel({ containerName }: { containerName: string }, prefix = ''): string {
  return `Azure Blob container '${containerName}'${prefix === '' ? '' : `, prefix '${prefix}'`}`;
}
