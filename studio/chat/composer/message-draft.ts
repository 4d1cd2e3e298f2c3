/** Drafts of messages by conversation, kept in session storage so that they survive a reload and a log-in. */

const storageKey = (key: string) => `skein.message.${key}`;

export function readDraft(key: string): string | undefined {
  return sessionStorage.getItem(storageKey(key)) ?? undefined;
}

export function saveDraft(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(storageKey(key));
    else sessionStorage.setItem(storageKey(key), text);
  } catch {
    // Session storage is full. The composer still has the text.
  }
}
