/** Makes a new thread of a checkpoint, with messages and other values as they are edited here. */
import { type FormEvent, useState } from 'react';
import { type Checkpoint, forkThread, readCheckpoint } from '../data/checkpoints.ts';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { invalidate, useResource } from '../resources.ts';
import { address, navigate } from '../router.ts';

interface ForkDialogProps {
  threadId: string;
  checkpointId: string;
  close(): void;
}

export function ForkDialog({ threadId, checkpointId, close }: ForkDialogProps) {
  const key = `checkpoint:${threadId}:${checkpointId}`;
  const { data, error } = useResource(key, () => readCheckpoint(threadId, checkpointId));
  return (
    <Dialog title="Fork from this checkpoint" close={close}>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && <ForkForm threadId={threadId} checkpoint={data} close={close} />}
    </Dialog>
  );
}

interface StateMessage {
  id: string;
  role: string;
  content: string;
}

function ForkForm({
  threadId,
  checkpoint,
  close,
}: {
  threadId: string;
  checkpoint: Checkpoint;
  close(): void;
}) {
  const messages = messagesIn(checkpoint.values.messages);
  const [edited, setEdited] = useState<Record<string, string>>({});
  const [others, setOthers] = useState('{}');
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    try {
      const values = { ...objectOf(others), ...changedMessages(messages, edited) };
      const made = await forkThread(threadId, checkpoint.checkpoint_id, values);
      invalidate('threads');
      navigate(address(['threads', made.thread_id]));
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
      setBusy(false);
    }
  }
  return (
    <form className="stack" onSubmit={submit}>
      <p className="small muted">The new thread goes on from this state. This one stays as it is.</p>
      {messages.map(({ id, role, content }) => (
        <label key={id} className="labelled">
          {role}
          <textarea
            className="field growing"
            rows={1}
            value={edited[id] ?? content}
            onChange={(event) => setEdited({ ...edited, [id]: event.target.value })}
          />
        </label>
      ))}
      <label className="labelled">
        Other values, as JSON by channel: {channelsOf(checkpoint).join(', ') || 'none'}
        <textarea
          className="field mono"
          rows={3}
          spellCheck={false}
          value={others}
          onChange={(event) => setOthers(event.target.value)}
        />
      </label>
      {error && <ErrorNote error={error} />}
      <div className="row dialog-end">
        <button type="submit" className="button primary" disabled={busy}>
          Make the fork
        </button>
        <button type="button" className="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function messagesIn(value: unknown): StateMessage[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one): one is StateMessage =>
      typeof one?.id === 'string' &&
      typeof one.content === 'string' &&
      ['user', 'assistant', 'system'].includes(one.role),
  );
}

/** Messages replace those of the same id. */
function changedMessages(messages: StateMessage[], edited: Record<string, string>) {
  const changed = messages.flatMap(({ id, role, content }) => {
    const text = edited[id];
    return text === undefined || text === content ? [] : [{ id, role, content: text }];
  });
  return changed.length > 0 ? { messages: changed } : {};
}

function channelsOf({ values }: Checkpoint): string[] {
  return Object.keys(values).filter((channel) => channel !== 'messages');
}

function objectOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text.trim() || '{}');
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new Error('The other values must be an object: {"channel": value}');
}
