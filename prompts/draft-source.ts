/** Prompt files with one unsaved draft. */
import type { PromptName } from './names.ts';
import type { PromptSource, PromptText } from './prompts.ts';
import { hashOf } from './store.ts';

export interface Draft {
  file: string;
  content: string;
}

/**
 * The draft replaces the file in every revision. Under a file's earlier name it has the precedence that it would have if
 * saved: a user's file of the revision with the current name wins.
 */
export function withDraft(source: PromptSource, { file: drafted, content }: Draft): PromptSource {
  return {
    list: () => source.list(),
    async read(wanted, revision) {
      const { file, earlier } = wanted;
      if (file !== drafted) {
        const found = await source.read(wanted, revision);
        if (earlier !== drafted || isOwn(found, { file, revision })) return found;
      }
      const used = {
        filename: drafted,
        revision_id: revision,
        version: null,
        sha256: hashOf(Buffer.from(content)),
      };
      return { text: content, used };
    },
  };
}

function isOwn(found: PromptText | undefined, { file, revision }: PromptName): boolean {
  const { filename, revision_id, version } = found?.used ?? {};
  return filename === file && revision_id === revision && version !== SHIPPED_VERSION;
}

const SHIPPED_VERSION = 0;
