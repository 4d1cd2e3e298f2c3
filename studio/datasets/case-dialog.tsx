/** The dialog that adds or edits a case. */
import { type FormEvent, useState } from 'react';
import type { Case, NewCase } from '../data/datasets.ts';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { DialogActions } from '../parts/dialog/dialog-actions.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { caseOf, type DraftProblems, draftOf } from './case-draft.ts';
import { CaseFields } from './case-fields.tsx';

interface CaseDialogProps {
  title: string;
  /** Empty for a new case. */
  before: Partial<Case>;
  save(made: NewCase): Promise<unknown>;
  close(): void;
}

export function CaseDialog({ title, before, save, close }: CaseDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(before));
  const [problems, setProblems] = useState<DraftProblems>({});
  const [error, setError] = useState<Error>();

  async function submit(event: FormEvent) {
    event.preventDefault();
    const read = caseOf(draft, before);
    setProblems('problems' in read ? read.problems : {});
    if ('problems' in read) return;
    try {
      await save(read.made);
      close();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }
  return (
    <Dialog title={title} close={close}>
      <form className="stack" onSubmit={submit} noValidate>
        <CaseFields draft={draft} change={setDraft} problems={problems} />
        {error && <ErrorNote error={error} />}
        <DialogActions label="Save" isSticky cancel={close} />
      </form>
    </Dialog>
  );
}
