/** Prompt files from folders on disk, read once: what the package ships does not change while it runs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_REVISION, isPromptFile } from './names.ts';
import type { RevisionSource } from './prompts.ts';

/** A later folder's file replaces an earlier one of the same name. A folder that is missing holds no prompts. */
export async function readPromptFolders(folders: string[]): Promise<RevisionSource> {
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter(isPromptFile)) {
      texts.set(name, await readFile(join(folder, name), 'utf8'));
    }
  }
  return {
    read: async (file) => texts.get(file),
    exists: async (revision) => revision === DEFAULT_REVISION,
    list: async () => [...texts.keys()].sort(),
  };
}
