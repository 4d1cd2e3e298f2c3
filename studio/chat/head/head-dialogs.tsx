/** The dialogs that rename and delete a conversation. */
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../parts/dialog/dialog.tsx';
import { DialogActions } from '../../parts/dialog/dialog-actions.tsx';
import { ErrorNote } from '../../parts/states.tsx';

export function Rename({
  title,
  close,
  save,
}: {
  title: string;
  close(): void;
  save(title: string): Promise<void>;
}) {
  const [error, setError] = useState<Error>();
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get('title')).trim();
    await save(given).then(close, setError);
  }
  return (
    <Dialog title="Rename conversation" close={close}>
      <form className="stack" onSubmit={submit}>
        <input
          className="field"
          name="title"
          aria-label="Title"
          defaultValue={title}
          maxLength={200}
          required
        />
        {error && <ErrorNote error={error} />}
        <DialogActions label="Save" cancel={close} />
      </form>
    </Dialog>
  );
}

export function Delete({
  title,
  close,
  confirm,
}: {
  title: string;
  close(): void;
  confirm(): Promise<void>;
}) {
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  async function go() {
    if (busy) return;
    setBusy(true);
    await confirm().catch(setError);
    setBusy(false);
  }
  return (
    <Dialog title="Delete conversation" close={close}>
      <p>This permanently deletes “{title}” with its messages, checkpoints and runs. Forks are kept.</p>
      {error && <ErrorNote error={error} />}
      <DialogActions label="Delete" busy={busy} onDelete={go} cancel={close} />
    </Dialog>
  );
}
