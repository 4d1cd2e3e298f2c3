/** Unsaved drafts of prompt files, kept in session storage so that they survive a reload and a log-in. */
import type { PromptName } from '../../data/prompts.ts';

interface StoredDraft {
  text: string;
  /** The ETag of the version that the draft is based on. */
  etag: string | undefined;
}

const keyOf = ({ revision, file }: PromptName) => `skein.draft.${revision}/${file}`;

export function readDraft(name: PromptName): StoredDraft | undefined {
  const stored = sessionStorage.getItem(keyOf(name));
  return stored === null ? undefined : (JSON.parse(stored) as StoredDraft);
}

export function saveDraft(name: PromptName, draft: StoredDraft): void {
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(draft));
  } catch {
    // Session storage is full. The editor still has the text, and leaving the page asks for confirmation.
    deleteDraft(name);
  }
}

export function deleteDraft(name: PromptName): void {
  sessionStorage.removeItem(keyOf(name));
}
