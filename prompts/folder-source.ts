/** Prompt files from folders on disk, read once: what the package ships does not change while it runs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_REVISION, isPromptFile } from './names.ts';
import type { PromptSource, PromptText } from './prompts.ts';
import { hashOf } from './store.ts';

/** A later folder's file replaces an earlier one of the same name, also under the name that the file had before. A folder that is missing holds no prompts. */
export async function readPromptFolders(folders: string[]): Promise<PromptSource> {
  const texts = new Map<string, PromptText & { folder: number }>();
  for (const [index, folder] of folders.entries()) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter(isPromptFile)) {
      const bytes = await readFile(join(folder, name));
      const used = { filename: name, revision_id: DEFAULT_REVISION, version: 0, sha256: hashOf(bytes) };
      texts.set(name, { text: bytes.toString(), used, folder: index });
    }
  }
  return {
    async read({ file, earlier }) {
      const found = texts.get(file);
      const before = earlier === undefined ? undefined : texts.get(earlier);
      return before && before.folder > (found?.folder ?? -1) ? before : found;
    },
    list: async () => [...texts.keys()].sort(),
  };
}
