/** The dialog that names a new prompt file, or a new revision with its first file, and opens the editor. */
import { type FormEvent, useId, useState } from 'react';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { DialogActions } from '../parts/dialog/dialog-actions.tsx';
import { address, navigate } from '../routing/router.ts';
import { fileNameProblem, revisionNameProblem } from './prompt-names.ts';

interface NewFileDialogProps {
  /** Empty for a new revision. */
  revision: string;
  /** Names of files that workflows use. */
  known: string[];
  close(): void;
}

export function NewFileDialog({ revision: given, known, close }: NewFileDialogProps) {
  const [revision, setRevision] = useState(given);
  const [file, setFile] = useState('');
  const [tried, setTried] = useState(false);
  const id = useId();
  const problems = { revision: revisionNameProblem(revision), file: fileNameProblem(file) };

  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (!problems.revision && !problems.file) navigate(address(['prompts', revision, file]));
  }
  return (
    <Dialog title={given ? `New file in revision ${given}` : 'New revision'} close={close}>
      <form className="stack" onSubmit={submit} noValidate>
        {!given && (
          <Field
            label="Revision name"
            value={revision}
            change={setRevision}
            problem={tried ? problems.revision : undefined}
          />
        )}
        <Field
          label={given ? 'File name' : 'First file'}
          value={file}
          change={setFile}
          problem={tried ? problems.file : undefined}
          list={id}
        />
        <datalist id={id}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <p className="muted small">
          A file that workflows use starts with its text in <code>default</code>. Nothing is created until you
          save.
          {!given && (
            <>
              {' '}
              To use the revision in a workflow, set its <code>prompt_revision</code>.
            </>
          )}
        </p>
        <DialogActions label="Open in editor" cancel={close} />
      </form>
    </Dialog>
  );
}

interface FieldProps {
  label: string;
  value: string;
  change(value: string): void;
  problem: string | undefined;
  list?: string;
}

function Field({ label, value, change, problem, list }: FieldProps) {
  const id = useId();
  return (
    <label className="labelled">
      {label}
      <input
        className="field mono"
        value={value}
        list={list}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={problem ? id : undefined}
        onChange={(event) => change(event.target.value)}
      />
      <span className="small bad" id={id} role="status">
        {problem}
      </span>
    </label>
  );
}
