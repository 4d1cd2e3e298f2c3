/** Prompt files in a local folder, layered over the shipped ones: `<path>/<revision>/<file>`, history in `<path>/.history`. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { layeredStore, type PromptBackend } from '../layered-store.ts';
import { isPromptFile, isRevision } from '../names.ts';
import type { PromptSource } from '../prompts.ts';
import type { PromptStore } from '../store.ts';
import { type Folder, openFolder, storageReason } from './folder.ts';
import { currentVersion, earlierVersions, replaceVersion, within } from './revision.ts';

interface LocalParts {
  path: string;
  shipped: PromptSource;
}

export function localStore({ path, shipped }: LocalParts): PromptStore {
  return layeredStore({ backend: localBackend(path), shipped });
}

function localBackend(path: string): PromptBackend {
  async function inRoot<T>(work: (root: Folder) => Promise<T>): Promise<T | undefined> {
    const root = await openFolder(path);
    return root && work(root).finally(() => root.close());
  }

  return {
    name: 'local',
    files: async (revision) => (await inRoot((root) => promptFiles(root, revision))) ?? new Map(),
    current: (name) => inRoot((root) => currentVersion(root, name)),
    async recorded(name) {
      const earlier = (await inRoot((root) => earlierVersions(root, name))) ?? [];
      return earlier.map((saved) => ({ ...saved, bytes: async () => saved.bytes }));
    },
    async replace(name, before, after) {
      await mkdir(path, { recursive: true });
      return inRoot((root) => replaceVersion(root, name, before, after));
    },
    async check() {
      const isThere = await inRoot(async (root) => Array.isArray(await root.folders()));
      if (!isThere && existsSync(path))
        throw new Error('its name is taken by something that is not a folder');
    },
    reasonOf: storageReason,
  };
}

async function promptFiles(root: Folder, revision?: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const folders = revision === undefined ? await root.folders() : [revision];
  for (const name of folders.filter(isRevision)) {
    const names = await within(root, [name], (folder) => folder.files());
    const files = (names ?? []).filter(isPromptFile);
    if (files.length > 0) found.set(name, files);
  }
  return found;
}
