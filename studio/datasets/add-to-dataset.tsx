/** The dialog that adds a case to an existing or a new dataset. */
import { type FormEvent, useId, useState } from 'react';
import { addCase, type Case, type DatasetHead, listDatasets, nameProblem } from '../data/datasets.ts';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { DialogActions } from '../parts/dialog/dialog-actions.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { caseOf, type DraftProblems, draftOf } from './case-draft.ts';
import { CaseFields } from './case-fields.tsx';
import './datasets.css';

interface AddToDatasetProps {
  before: Partial<Case>;
  close(): void;
  /** Called after the case was added. The dialog waits for it before it confirms. */
  added?: (() => Promise<unknown>) | undefined;
}

export function AddToDataset(props: AddToDatasetProps) {
  const { data: datasets, error } = useResource('datasets', listDatasets);
  // The form needs the list to suggest a dataset: a suggestion that arrived later could get between typed characters.
  if (!datasets && !error)
    return (
      <Dialog title="Add to dataset" close={props.close}>
        <Loading />
      </Dialog>
    );
  return <AddForm {...props} datasets={datasets ?? []} />;
}

function AddForm({ before, close, added, datasets }: AddToDatasetProps & { datasets: DatasetHead[] }) {
  const [dataset, setDataset] = useState(() => latestOf(datasets));
  const [draft, setDraft] = useState(() => draftOf(before));
  const [problems, setProblems] = useState<DraftProblems & { dataset?: string | undefined }>({});
  const [error, setError] = useState<Error>();
  // Not `dataset`: the field can be changed while the case is added.
  const [addedTo, setAddedTo] = useState<string>();
  const id = useId();

  async function submit(event: FormEvent) {
    event.preventDefault();
    const problem = nameProblem(dataset);
    const read = caseOf(draft, before);
    setProblems({ ...('problems' in read && read.problems), dataset: problem });
    if (problem || 'problems' in read) return;
    try {
      await addCase(dataset, read.made);
      invalidate('dataset');
      await added?.();
      setAddedTo(dataset);
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }
  if (addedTo !== undefined)
    return (
      <Dialog title="Case added" close={close}>
        <p role="status">
          Added to <Link href={address(['datasets', addedTo], { owner: '' })}>{addedTo}</Link>.
        </p>
        <div className="row">
          <button type="button" className="button" onClick={close} ref={focus}>
            Close
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Add to dataset" close={close}>
      <form className="stack" onSubmit={submit} noValidate>
        <label className="labelled">
          Dataset
          <input
            className="field mono"
            value={dataset}
            placeholder="Existing or new name"
            list={`${id}-names`}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            aria-invalid={problems.dataset !== undefined}
            aria-describedby={`${id}-problem`}
            onFocus={(event) => event.target.select()}
            onChange={(event) => setDataset(event.target.value)}
          />
          <span className="small bad" id={`${id}-problem`} role="status">
            {problems.dataset}
          </span>
        </label>
        <datalist id={`${id}-names`}>
          {datasets.map((one) => (
            <option key={one.dataset} value={one.dataset} />
          ))}
        </datalist>
        <CaseFields draft={draft} change={setDraft} problems={problems} />
        {error && <ErrorNote error={error} />}
        <DialogActions label="Add" isSticky cancel={close} />
      </form>
    </Dialog>
  );
}

// A stable function, because React would call a new ref callback after each render.
const focus = (button: HTMLButtonElement | null) => button?.focus();

/** The dataset that was changed last. */
function latestOf(datasets: DatasetHead[]): string {
  return datasets.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))[0]?.dataset ?? '';
}
