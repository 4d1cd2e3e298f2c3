/** Opens the prompt editor with an edited file as a draft. It is saved there, where another's newer version is seen. */
import { readPrompt } from '../data/prompts.ts';
import { readDraft, saveDraft } from '../prompts/draft-storage.ts';
import { address, navigate } from '../router.ts';
import type { EditedTemplate } from './edited-call.ts';

/** Throws where the version that the text began from cannot be read, or the tab has no room for the draft. */
export async function openAsDraft({ name, version, text }: EditedTemplate): Promise<void> {
  const before = readDraft(name);
  const isOther = before !== undefined && before.text !== text;
  if (isOther && !confirm(`This tab has another draft of ${name.file} that is not saved. Replace it?`))
    return;
  const { etag } = await readPrompt(name, version ?? undefined);
  saveDraft(name, { text, etag });
  if (readDraft(name)?.text !== text)
    throw new Error('This tab has no room for the draft. Copy the text instead.');
  navigate(address(['prompts', name.revision, name.file]));
}
