/** Prompt files of which one has a text that nobody has saved. */
import type { PromptSource } from './prompts.ts';

export interface Draft {
  file: string;
  content: string;
}

/** The draft is in the place of the file in every revision. */
export function withDraft(source: PromptSource, { file: drafted, content }: Draft): PromptSource {
  return {
    list: () => source.list(),
    read: async (file, revision) => (file === drafted ? content : source.read(file, revision)),
  };
}
