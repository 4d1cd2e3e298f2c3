/** Finds a prompt file: in its revision, then in `default`, then among the shipped files. */
import { DEFAULT_REVISION, type PromptName } from './names.ts';
import type { PromptSource, PromptText, WantedPrompt } from './prompts.ts';

interface Sources {
  /** The files of the storage. */
  own(name: PromptName): Promise<PromptText | undefined>;
  shipped: PromptSource;
}

/** At each place the file's current name takes precedence over its earlier one. */
export async function lookUp(
  { file, earlier }: WantedPrompt,
  revision: string,
  { own, shipped }: Sources,
): Promise<PromptText | undefined> {
  const files = earlier === undefined ? [file] : [file, earlier];
  for (const at of new Set([revision, DEFAULT_REVISION])) {
    for (const each of files) {
      const found = await own({ revision: at, file: each });
      if (found) return found;
    }
  }
  return shipped.read({ file, earlier }, DEFAULT_REVISION);
}
