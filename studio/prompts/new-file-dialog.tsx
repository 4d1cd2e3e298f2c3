/** A new prompt file, in a revision that may be new too: named here, written in the editor. */
import { type FormEvent, useId, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { address, navigate } from '../router.ts';
import { fileComplaint, revisionComplaint } from './prompt-names.ts';

interface NewFileDialogProps {
  /** Empty for a new one. */
  revision: string;
  /** Files that workflows use. */
  known: string[];
  close(): void;
}

export function NewFileDialog({ revision: given, known, close }: NewFileDialogProps) {
  const [revision, setRevision] = useState(given);
  const [file, setFile] = useState('');
  const [tried, setTried] = useState(false);
  const id = useId();
  const wrong = { revision: revisionComplaint(revision), file: fileComplaint(file) };

  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (!wrong.revision && !wrong.file) navigate(address(['prompts', revision, file]));
  }
  return (
    <Dialog title={given ? `A new file in revision ${given}` : 'A new revision'} close={close}>
      <form className="stack" onSubmit={submit} noValidate>
        {!given && (
          <Field
            label="Name of the revision"
            value={revision}
            change={setRevision}
            complaint={tried ? wrong.revision : undefined}
          />
        )}
        <Field
          label={given ? 'Name of the file' : 'Its first file'}
          value={file}
          change={setFile}
          complaint={tried ? wrong.file : undefined}
          list={id}
        />
        <datalist id={id}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <p className="muted small">
          A file that a workflow uses begins as it is in <code>default</code>. Nothing is made until you save
          it.
          {!given && (
            <>
              {' '}
              A workflow uses the revision once its setting <code>prompt_revision</code> names it.
            </>
          )}
        </p>
        <div className="row">
          <button type="submit" className="button primary">
            Open in the editor
          </button>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  label: string;
  value: string;
  change(value: string): void;
  complaint: string | undefined;
  list?: string;
}

function Field({ label, value, change, complaint, list }: FieldProps) {
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
        aria-invalid={complaint !== undefined}
        aria-describedby={complaint ? id : undefined}
        onChange={(event) => change(event.target.value)}
      />
      <span className="small bad" id={id} role="status">
        {complaint}
      </span>
    </label>
  );
}
