/** Deletes checkpoints, and keeps the steps of delta channels that later checkpoints need. */
import type { DeltaStep } from '../../driver/checkpoints/delta-channels.ts';
import { picked } from '../../driver/checkpoints/delta-channels.ts';
import {
  type CheckpointRow,
  neededSteps,
  type StepRow,
  type ValuedRow,
} from '../../driver/checkpoints/needed-steps.ts';
import type { Statements } from '../database/database.ts';
import type { Checkpoints } from '../threads/checkpoints.ts';
import { stepAt, stepsBefore, valuesAt } from './delta-steps.ts';

const NAMED = '(SELECT jsonb_array_elements_text($2::text::jsonb))';
const WITH_DELTAS =
  'SELECT ns, id, parent, versions, deltas FROM skein.checkpoints WHERE thread = $1 AND deltas IS NOT NULL';
const UNSETTLED = `
  SELECT c.ns, c.id, c.parent, c.versions, c.deltas FROM skein.checkpoints AS c
  LEFT JOIN skein.checkpoint_deltas AS d ON d.thread = c.thread AND d.ns = c.ns AND d.id = c.id
  WHERE c.thread = $1 AND c.deltas IS NOT NULL AND (d.id IS NULL OR EXISTS (
    SELECT 1 FROM skein.checkpoint_writes AS w WHERE w.thread = c.thread AND w.ns = c.ns AND w.id = c.id))`;
const VALUED = `
  SELECT ns, channel, version FROM skein.checkpoint_values WHERE thread = $1 AND channel IN (
    SELECT json_array_elements_text(c.deltas::json) FROM skein.checkpoints AS c
    WHERE c.thread = $1 AND c.deltas IS NOT NULL)`;
const PUT_STEP = `
  INSERT INTO skein.checkpoint_deltas (thread, ns, id, parent, versions, writes) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (thread, ns, id) DO UPDATE
    SET parent = excluded.parent, versions = excluded.versions, writes = excluded.writes`;

/** All methods must be called inside a transaction that has locked the thread. */
export const checkpointPruning: Checkpoints & {
  /** At the end of a run: moves its task writes to delta channels to steps, and deletes all other task writes. */
  settle(tx: Statements, thread: string): Promise<void>;
} = {
  async prune(tx, thread, ids) {
    if (ids.length === 0) return;
    const named = JSON.stringify(ids);
    await tx.run(`DELETE FROM skein.checkpoints WHERE thread = $1 AND id IN ${NAMED}`, thread, named);
    await tx.run(`DELETE FROM skein.checkpoint_writes WHERE thread = $1 AND id IN ${NAMED}`, thread, named);
    await pruneSteps(tx, thread);
    await tx.run('SELECT skein.drop_values_v1($1)', thread);
  },
  async pruneHistory(tx, thread, ids) {
    const deleted = new Set(ids);
    for (const row of await tx.all<CheckpointRow>(UNSETTLED, thread)) {
      if (deleted.has(row.id)) await settleStep(tx, thread, row);
      // `pruneSteps` links steps to the nearest remaining one, so remaining checkpoints need a step, too. Their task writes stay
      // in `checkpoint_writes`, because their tasks may continue.
      else if (!(await hasStep(tx, thread, row))) {
        const step = { parent: row.parent, versions: JSON.parse(row.versions), writes: [] };
        await putStep(tx, thread, row, step, JSON.parse(row.deltas));
      }
    }
    await checkpointPruning.prune(tx, thread, ids);
  },
  async settle(tx, thread) {
    for (const row of await tx.all<CheckpointRow>(UNSETTLED, thread)) await settleStep(tx, thread, row);
    await tx.run('DELETE FROM skein.checkpoint_writes WHERE thread = $1', thread);
  },
  async copySteps(tx, from, { namespace: ns, checkpointId: id }, to) {
    const row = await tx.get<{ deltas: string | null }>(
      'SELECT deltas FROM skein.checkpoints WHERE thread = $1 AND ns = $2 AND id = $3',
      ...[from, ns, id],
    );
    const step = row?.deltas ? await stepAt(tx, from, ns, id) : undefined;
    if (!row?.deltas || !step) return;
    const channels: string[] = JSON.parse(row.deltas);
    // The writes at the checkpoint itself belong to its descendants, which are not copied.
    await putStep(tx, to, { ns, id }, { ...step, writes: [] }, channels);
    const own = await valuesAt(tx, from, ns, picked(step.versions, channels));
    const open = channels.filter((channel) => !own.some(([name]) => name === channel));
    for await (const one of stepsBefore(tx, { thread: from, ns, id }, open))
      await putStep(tx, to, { ns, id: one.id }, one.step, channels);
  },
  release() {},
};

async function settleStep(tx: Statements, thread: string, row: CheckpointRow): Promise<void> {
  const step = await stepAt(tx, thread, row.ns, row.id);
  if (step) await putStep(tx, thread, row, step, JSON.parse(row.deltas));
}

async function putStep(
  tx: Statements,
  thread: string,
  { ns, id }: { ns: string; id: string },
  step: DeltaStep,
  channels: string[],
): Promise<void> {
  const writes = step.writes.filter(([, channel]) => channels.includes(channel));
  const versions = JSON.stringify(picked(step.versions, channels));
  await tx.run(PUT_STEP, thread, ns, id, step.parent, versions, JSON.stringify(writes));
}

async function hasStep(tx: Statements, thread: string, { ns, id }: CheckpointRow): Promise<boolean> {
  const step = 'SELECT 1 FROM skein.checkpoint_deltas WHERE thread = $1 AND ns = $2 AND id = $3';
  return (await tx.get(step, thread, ns, id)) !== undefined;
}

/** Deletes the steps that no checkpoint of the thread needs. */
async function pruneSteps(tx: Statements, thread: string): Promise<void> {
  const steps = await tx.all<StepRow>(
    'SELECT ns, id, parent, versions, writes FROM skein.checkpoint_deltas WHERE thread = $1',
    thread,
  );
  if (steps.length === 0) return;
  const parentOf = neededSteps(
    steps,
    await tx.all<CheckpointRow>(WITH_DELTAS, thread),
    await tx.all<ValuedRow>(VALUED, thread),
  );
  for (const { ns, id, parent, ...rest } of steps) {
    const next = parentOf({ ns, id, parent, ...rest });
    const checkpoint = [thread, ns, id] as const;
    if (next === undefined)
      await tx.run(
        'DELETE FROM skein.checkpoint_deltas WHERE thread = $1 AND ns = $2 AND id = $3',
        ...checkpoint,
      );
    else if (next !== parent)
      await tx.run(
        'UPDATE skein.checkpoint_deltas SET parent = $4 WHERE thread = $1 AND ns = $2 AND id = $3',
        ...[...checkpoint, next],
      );
  }
}
