/** Prompt files of which one has a text that nobody has saved. */
import type { PromptSource } from './prompts.ts';
import { hashOf } from './store.ts';

export interface Draft {
  file: string;
  content: string;
}

/** The draft is in the place of the file in every revision. */
export function withDraft(source: PromptSource, { file: drafted, content }: Draft): PromptSource {
  return {
    list: () => source.list(),
    async read(file, revision) {
      if (file !== drafted) return source.read(file, revision);
      const used = {
        filename: file,
        revision_id: revision,
        version: null,
        sha256: hashOf(Buffer.from(content)),
      };
      return { text: content, used };
    },
  };
}
