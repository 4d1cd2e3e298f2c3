/** Where a call's prompt file comes from: its revision, then `default`, then what ships. */
import { DEFAULT_REVISION, type PromptName } from './names.ts';
import type { PromptSource, PromptText, WantedPrompt } from './prompts.ts';

interface Places {
  /** The storage's own files. */
  own(name: PromptName): Promise<PromptText | undefined>;
  shipped: PromptSource;
}

/** In each place the file's current name takes precedence over its earlier one. */
export async function lookUp(
  { file, earlier }: WantedPrompt,
  revision: string,
  { own, shipped }: Places,
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
