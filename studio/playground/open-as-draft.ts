/** Opens an edited prompt file as a draft in the prompt editor, which also merges it with newer versions. */
import { readPrompt } from '../data/prompts.ts';
import { readDraft, saveDraft } from '../prompts/draft/draft-storage.ts';
import { address, navigate } from '../routing/router.ts';
import type { EditedTemplate } from './edited-call.ts';

/** Throws if the version that the text is based on can't be read, or if session storage is full. */
export async function openAsDraft({ name, version, text }: EditedTemplate): Promise<void> {
  const before = readDraft(name);
  const isOther = before !== undefined && before.text !== text;
  if (isOther && !confirm(`Replace your other unsaved draft of ${name.file}?`)) return;
  const { etag } = await readPrompt(name, version ?? undefined);
  saveDraft(name, { text, etag });
  if (readDraft(name)?.text !== text)
    throw new Error('The draft is too large to open. Copy the text instead.');
  navigate(address(['prompts', name.revision, name.file]));
}
