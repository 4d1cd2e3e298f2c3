/** The dialog that runs a thread again from a checkpoint: edit the state, then run it as a fork. */
import { useState } from 'react';
import { type Checkpoint, readCheckpoint, runFork } from '../data/threads/checkpoints.ts';
import { readStateSchema } from '../data/threads/state-schema.ts';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { DialogActions } from '../parts/dialog/dialog-actions.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { address, navigate } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { StateEditor } from './state-editor.tsx';

interface RunAgainProps {
  threadId: string;
  workflow: string;
  checkpointId: string;
  close(): void;
}

export default function RunAgainDialog({ threadId, workflow, checkpointId, close }: RunAgainProps) {
  const { data, error } = useResource(`again:${threadId}:${checkpointId}`, async () => {
    const checkpoint = await readCheckpoint(threadId, checkpointId);
    // Without a schema, the form uses the types of the values.
    const schema = await readStateSchema(workflow, checkpoint.within).catch(() => null);
    return { checkpoint, schema };
  });
  return (
    <Dialog title="Run again from here" close={close}>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && <RunAgain threadId={threadId} workflow={workflow} {...data} close={close} />}
    </Dialog>
  );
}

interface EditProps {
  threadId: string;
  workflow: string;
  checkpoint: Checkpoint;
  schema: unknown;
  close(): void;
}

function RunAgain({ threadId, workflow, checkpoint, schema, close }: EditProps) {
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const runs = checkpoint.next.length > 0;
  async function run(changed: Record<string, unknown>) {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const from = { thread: threadId, workflow, checkpoint: checkpoint.checkpoint_id };
      const { thread_id } = await runFork(from, changed);
      invalidate('threads');
      navigate(address(['threads', thread_id]));
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
      setBusy(false);
    }
  }
  return (
    <StateEditor values={checkpoint.values} schema={schema} submit={(changed) => void run(changed)}>
      {error && <ErrorNote error={error} />}
      <DialogActions
        label={runs ? 'Run' : 'Fork'}
        icon={runs ? 'play' : 'branch'}
        busy={busy}
        isSticky
        cancel={close}
      >
        <span className="muted small">{nextText(checkpoint)}</span>
      </DialogActions>
    </StateEditor>
  );
}

/** Says which nodes run next. */
function nextText({ next, within }: Checkpoint): string {
  const names = next.map((node) => (node === '__start__' ? 'start' : node));
  if (names.length === 0)
    return "No node comes next, unless an edge is evaluated again. This thread doesn't change.";
  const inside = within === null ? '' : ` in ${within}`;
  return `Next: ${names.join(', ')}${inside}. The run continues in a new thread; this one doesn't change.`;
}
