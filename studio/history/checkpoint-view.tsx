/** A checkpoint: its state, and the changes since the previous one. */
import { useId, useMemo, useState } from 'react';
import { StateValues } from '../content/state-values.tsx';
import { type CheckpointEntry, readCheckpoint } from '../data/threads/checkpoints.ts';
import { ValueChanges } from '../diff/value-changes.tsx';
import { valueDiff } from '../diff/value-diff.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { address } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';
import { nameOf } from './timeline.tsx';

interface CheckpointViewProps {
  threadId: string;
  entry: CheckpointEntry;
  /** Go to the next older checkpoint; undefined at the oldest. */
  older: (() => void) | undefined;
  /** Go to the next newer checkpoint; undefined at the newest. */
  newer: (() => void) | undefined;
}

const VIEWS = [
  { value: 'changes', label: 'Changes' },
  { value: 'state', label: 'State' },
] as const;

export function CheckpointView({ threadId, entry, older, newer }: CheckpointViewProps) {
  const [shown, setShown] = useState<(typeof VIEWS)[number]['value']>('changes');
  const id = useId();
  const { checkpoint_id, parent_id, run_id } = entry;
  const own = useCheckpoint(threadId, checkpoint_id);
  const parent = useCheckpoint(threadId, parent_id);
  const changes = useMemo(() => {
    // The first checkpoint is compared with an empty state. If the parent was pruned, the changes are unknown.
    const before = parent_id === null ? {} : parent.data?.values;
    return own.data && before && valueDiff(before, own.data.values);
  }, [own.data, parent.data, parent_id]);
  return (
    <section className="checkpoint-view" aria-label="Checkpoint">
      <header className="row wrap">
        <h2 className="mono grow cut">{nameOf(entry)}</h2>
        {run_id && (
          <Link className="button small quiet" href={address(['runs', run_id])}>
            View run
          </Link>
        )}
        <button type="button" className="button small" aria-disabled={!older} onClick={older}>
          <Icon name="down" size={14} />
          Older
        </button>
        <button type="button" className="button small" aria-disabled={!newer} onClick={newer}>
          <Icon name="up" size={14} />
          Newer
        </button>
      </header>
      <p className="muted small row">
        <code className="cut">{checkpoint_id}</code>
        <CopyButton text={checkpoint_id} label="Copy id" />
      </p>
      <Tabs id={id} label="Checkpoint" tabs={VIEWS} value={shown} choose={setShown} />
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown}`} className="stack">
        {own.error && <ErrorNote error={own.error} />}
        {!own.data && !own.error && <Loading lines={6} />}
        {shown === 'state' && own.data && <StateValues values={own.data.values} open={3} />}
        {shown === 'changes' && changes && <ValueChanges changes={changes} />}
        {shown === 'changes' && parent.error && (
          <p className="muted small">The previous checkpoint is no longer available.</p>
        )}
      </div>
    </section>
  );
}

function useCheckpoint(threadId: string, id: string | null) {
  const key = id === null ? undefined : `checkpoint:${threadId}:${id}`;
  return useResource(key, () => readCheckpoint(threadId, id ?? ''));
}
