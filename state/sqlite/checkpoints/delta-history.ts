/** Delta channels on SQLite. A value is rebuilt from the newest snapshot and the writes of all later steps. */
import type { CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import {
  type DeltaStep,
  type DeltaWrite,
  deltaChannelsOf,
  deltaWrites,
  gatherHistories,
  type DeltaHistories as Histories,
  picked,
} from '../../driver/checkpoints/delta-channels.ts';
import { type CheckpointRow, neededSteps } from '../../driver/checkpoints/needed-steps.ts';
import type { CheckpointKey } from '../../threads/archive.ts';
import type { ChannelValues } from './channel-values.ts';
import type { deltaStatements } from './delta-statements.ts';

/** `thread` is the thread's key. Methods that write must be called inside a transaction. */
export interface DeltaHistories {
  /** The delta channels of a new checkpoint as JSON; null if they are those of its parent. */
  channelsOf(checkpoint: NewCheckpoint): string | null;
  /** The histories from which LangGraph rebuilds the values of channels at a checkpoint. */
  read(thread: string, ns: string, id: string, channels: string[]): Histories;
  /** At the end of a run: moves its task writes to delta channels to steps, and deletes all other task writes. */
  settle(thread: string): void;
  /** Before checkpoints are deleted: keeps the steps from which later checkpoints are rebuilt. */
  keep(thread: string, ids: string[]): void;
  /** Deletes the steps that no checkpoint of the thread needs. */
  prune(thread: string): void;
  /** Copies the steps that a checkpoint needs to another thread. */
  copy(from: string, checkpoint: CheckpointKey, to: string): void;
}

interface NewCheckpoint {
  thread: string;
  ns: string;
  parent: string | null;
  metadata: CheckpointMetadata;
  values: Record<string, unknown>;
}

/**
 * A step is the data of a checkpoint that its descendants need: its parent, the versions of its delta channels, and the task
 * writes to them. It is kept after its checkpoint is deleted, until a snapshot replaces it. The task writes of an unfinished
 * run are in `checkpoint_writes`. At the end of the run they must leave that table, in which the writes of a task mean that it
 * has finished.
 */
export function deltaHistories(
  sql: ReturnType<typeof deltaStatements>,
  values: ChannelValues,
): DeltaHistories {
  /** The current step: from the stored step or the checkpoint's row, plus the task writes. */
  function stepAt(thread: string, ns: string, id: string): DeltaStep | undefined {
    const stored = sql.step.get(thread, ns, id);
    const row = stored ?? sql.checkpoint.get(thread, ns, id);
    if (!row) return undefined;
    const settled: DeltaWrite[] = stored ? JSON.parse(stored.writes) : [];
    return { ...toStep(row), writes: [...settled, ...taskWrites(thread, ns, id)] };
  }

  function taskWrites(thread: string, ns: string, id: string): DeltaWrite[] {
    return sql.writes.all(thread, ns, id).flatMap(({ task, writes }) => deltaWrites(task, writes));
  }

  function putStep(thread: string, ns: string, id: string, step: DeltaStep, channels: string[]): void {
    const writes = step.writes.filter(([, channel]) => channels.includes(channel));
    const versions = JSON.stringify(picked(step.versions, channels));
    sql.putStep.run(thread, ns, id, step.parent, versions, JSON.stringify(writes));
  }

  /** Checks first whether there are any: most threads have none, and the full query takes a hundred times as long. */
  function unsettledOf(thread: string): CheckpointRow[] {
    return sql.any.get(thread) ? sql.unsettled.all(thread) : [];
  }

  function settleStep(thread: string, { ns, id, deltas }: CheckpointRow): void {
    const step = stepAt(thread, ns, id);
    if (step) putStep(thread, ns, id, step, JSON.parse(deltas));
  }

  /** The steps before a checkpoint, nearest first, until all channels have a value. */
  function* before(thread: string, ns: string, id: string, channels: string[]) {
    const open = new Set(channels);
    const checked = new Map<string, unknown>();
    let at = stepAt(thread, ns, id)?.parent ?? null;
    while (at !== null && open.size > 0) {
      const step = stepAt(thread, ns, at);
      if (!step) return;
      const { versions } = step;
      const unseen = [...open].filter((one) => one in versions && checked.get(one) !== versions[one]);
      for (const channel of unseen) checked.set(channel, versions[channel]);
      const seeds = values.read(thread, ns, picked(versions, unseen));
      yield { id: at, step, open: [...open], seeds };
      for (const [channel] of seeds) open.delete(channel);
      at = step.parent;
    }
  }

  return {
    channelsOf({ thread, ns, parent, ...checkpoint }) {
      if (deltaChannelsOf(checkpoint, null) === null) return null;
      const inherited = parent === null ? null : sql.deltas.get(thread, ns, parent)?.deltas;
      return deltaChannelsOf(checkpoint, inherited ?? null);
    },
    read(thread, ns, id, channels) {
      const histories = gatherHistories(channels);
      for (const { step, open, seeds } of before(thread, ns, id, channels)) histories.add(open, step, seeds);
      return histories.done();
    },
    settle(thread) {
      for (const row of unsettledOf(thread)) settleStep(thread, row);
      sql.deleteWrites.run(thread);
    },
    keep(thread, ids) {
      const deleted = new Set(ids);
      for (const row of unsettledOf(thread)) {
        if (deleted.has(row.id)) settleStep(thread, row);
        // `prune` links steps to the nearest remaining one, so remaining checkpoints need a step, too. Their task writes stay in
        // `checkpoint_writes`, because their tasks may continue.
        else if (!sql.step.get(thread, row.ns, row.id))
          putStep(thread, row.ns, row.id, { ...toStep(row), writes: [] }, JSON.parse(row.deltas));
      }
    },
    prune(thread) {
      const steps = sql.steps.all(thread);
      if (steps.length === 0) return;
      const neededParent = neededSteps(steps, sql.withDeltas.all(thread), sql.valued.all(thread));
      for (const step of steps) {
        const parent = neededParent(step);
        if (parent === undefined) sql.deleteStep.run(thread, step.ns, step.id);
        else if (parent !== step.parent) sql.relink.run(parent, thread, step.ns, step.id);
      }
    },
    copy(from, { namespace: ns, checkpointId: id }, to) {
      const row = sql.deltas.get(from, ns, id);
      const step = stepAt(from, ns, id);
      if (!row?.deltas || !step) return;
      const channels: string[] = JSON.parse(row.deltas);
      // The writes at the checkpoint itself belong to its descendants, which are not copied.
      putStep(to, ns, id, { ...step, writes: [] }, channels);
      const own = values.read(from, ns, picked(step.versions, channels)).map(([channel]) => channel);
      const open = channels.filter((channel) => !own.includes(channel));
      for (const one of before(from, ns, id, open)) putStep(to, ns, one.id, one.step, channels);
    },
  };
}

function toStep({ parent, versions }: Pick<CheckpointRow, 'parent' | 'versions'>): Omit<DeltaStep, 'writes'> {
  return { parent, versions: JSON.parse(versions) };
}
