/** Texts that were typed and not saved, kept in this tab: a reload or a log-in does not lose them. */
import type { PromptName } from '../data/prompts.ts';

interface Kept {
  text: string;
  /** Of the version that it began from. */
  etag: string | undefined;
}

const keyOf = ({ revision, file }: PromptName) => `skein.draft.${revision}/${file}`;

export function kept(name: PromptName): Kept | undefined {
  const stored = sessionStorage.getItem(keyOf(name));
  return stored === null ? undefined : (JSON.parse(stored) as Kept);
}

export function keep(name: PromptName, draft: Kept): void {
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(draft));
  } catch {
    // The tab has no room for it. It is in the editor, and leaving asks first.
    forget(name);
  }
}

export function forget(name: PromptName): void {
  sessionStorage.removeItem(keyOf(name));
}
