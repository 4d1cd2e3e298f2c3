/** The shipped prompt files, of the package and of the workflows' folders. Read once, because they do not change while it runs. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_REVISION, isPromptFile } from './names.ts';
import type { PromptSource, PromptText } from './prompts.ts';
import { hashOf } from './store.ts';

/** A file in a later folder replaces one of the same name in an earlier folder, also under its earlier name. Missing folders are ignored. */
export async function readShippedPrompts(folders: string[]): Promise<PromptSource> {
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
