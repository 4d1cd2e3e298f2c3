/** Prompt files from folders on disk, read once: what the package ships does not change while it runs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_REVISION, isPromptFile } from './names.ts';
import type { PromptSource, PromptText } from './prompts.ts';
import { hashOf } from './store.ts';

/** A later folder's file replaces an earlier one of the same name. A folder that is missing holds no prompts. */
export async function readPromptFolders(folders: string[]): Promise<PromptSource> {
  const texts = new Map<string, PromptText>();
  for (const folder of folders) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter(isPromptFile)) {
      const bytes = await readFile(join(folder, name));
      const used = { filename: name, revision_id: DEFAULT_REVISION, version: 0, sha256: hashOf(bytes) };
      texts.set(name, { text: bytes.toString(), used });
    }
  }
  return {
    read: async (file) => texts.get(file),
    list: async () => [...texts.keys()].sort(),
  };
}
