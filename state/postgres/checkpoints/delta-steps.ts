/**
 * Steps of delta channels on PostgreSQL. A step is the data of a checkpoint that its descendants need. It is kept after its
 * checkpoint is deleted, until a snapshot replaces it.
 */
import {
  type DeltaHistories,
  type DeltaStep,
  deltaWrites,
  gatherHistories,
  picked,
} from '../../driver/checkpoints/delta-channels.ts';
import type { Statements } from '../database/database.ts';
import { withLists } from './read.ts';

export interface StepRow {
  id: string;
  parent: string | null;
  versions: string;
  /** The stored writes as JSON; null if the step is only in the checkpoint's row. */
  settled: string | null;
  tasks: [task: string, writes: string][] | null;
}

// A stored step takes precedence over the checkpoint's row.
const STEP = `
  SELECT s.id, s.parent, s.versions, s.settled, (
    SELECT json_agg(json_build_array(w.task, w.writes) ORDER BY w.path, w.task) FROM skein.checkpoint_writes AS w
    WHERE w.thread = $1 AND w.ns = $2 AND w.id = s.id) AS tasks
  FROM (
    SELECT d.id, d.parent, d.versions, d.writes AS settled FROM skein.checkpoint_deltas AS d
    WHERE d.thread = $1 AND d.ns = $2 AND d.id = `;
const OR_CHECKPOINT = `
    UNION ALL SELECT c.id, c.parent, c.versions, NULL FROM skein.checkpoints AS c
    WHERE c.thread = $1 AND c.ns = $2 AND c.id = `;
const step = (id: string) => `${STEP}${id}${OR_CHECKPOINT}${id} AND NOT EXISTS (
      SELECT 1 FROM skein.checkpoint_deltas AS d WHERE d.thread = $1 AND d.ns = $2 AND d.id = ${id})) AS s`;
const CHAIN = `
  WITH RECURSIVE chain AS (
    SELECT one.*, 1 AS place FROM (${step('$3')}) AS one
    UNION ALL
    SELECT next.*, chain.place + 1 FROM chain CROSS JOIN LATERAL (${step('chain.parent')}) AS next
    WHERE chain.place < $4)
  SELECT id, parent, versions, settled, tasks::json AS tasks FROM chain ORDER BY place`;

/** The number of steps per read. */
const PAGE = 100;

/** The histories from which LangGraph rebuilds the values of channels at a checkpoint. */
export async function historiesAt(
  db: Statements,
  checkpoint: { thread: string; ns: string; id: string },
  channels: string[],
): Promise<DeltaHistories> {
  const histories = gatherHistories(channels);
  for await (const { step, open, seeds } of stepsBefore(db, checkpoint, channels))
    histories.add(open, step, seeds);
  return histories.done();
}

/** The steps before a checkpoint, nearest first, until all channels have a value. */
export async function* stepsBefore(
  db: Statements,
  { thread, ns, id }: { thread: string; ns: string; id: string },
  channels: string[],
) {
  const open = new Set(channels);
  const checked = new Map<string, unknown>();
  let at = (await chain(db, thread, ns, id, 1))[0]?.parent ?? null;
  while (at !== null && open.size > 0) {
    const rows = await chain(db, thread, ns, at, PAGE);
    if (rows.length === 0) return;
    for (const row of rows) {
      if (open.size === 0) return;
      const step = toStep(row);
      const unseen = [...open].filter(
        (one) => one in step.versions && checked.get(one) !== step.versions[one],
      );
      for (const channel of unseen) checked.set(channel, step.versions[channel]);
      const seeds = await valuesAt(db, thread, ns, picked(step.versions, unseen));
      yield { id: row.id, step, open: [...open], seeds };
      for (const [channel] of seeds) open.delete(channel);
      at = row.parent;
    }
  }
}

/** The current step: from the stored step or the checkpoint's row, plus the task writes. */
export async function stepAt(
  db: Statements,
  thread: string,
  ns: string,
  id: string,
): Promise<DeltaStep | undefined> {
  const [row] = await chain(db, thread, ns, id, 1);
  return row && toStep(row);
}

/** The texts of the values at `versions`. Empty channels are left out. */
export async function valuesAt(
  db: Statements,
  thread: string,
  ns: string,
  versions: Record<string, unknown>,
): Promise<[channel: string, text: string][]> {
  const named = Object.entries(versions).map(([channel, version]) => ({ channel, version: String(version) }));
  if (named.length === 0) return [];
  const rows = await db.all<{ channel: string; value: string; elements: string | null }>(
    `SELECT v.channel, v.value, v.elements
     FROM jsonb_to_recordset($3::text::jsonb) AS named(channel text, version text)
     JOIN skein.checkpoint_values AS v
       ON v.thread = $1 AND v.ns = $2 AND v.channel = named.channel AND v.version = named.version`,
    ...[thread, ns, JSON.stringify(named)],
  );
  const stored = rows.map(({ channel, value, elements }): [string, string, string | null] => {
    return [channel, value, elements];
  });
  return (await withLists(db, thread, stored)).values;
}

function chain(db: Statements, thread: string, ns: string, id: string, most: number): Promise<StepRow[]> {
  return db.all<StepRow>(CHAIN.trim(), thread, ns, id, most);
}

function toStep({ parent, versions, settled, tasks }: StepRow): DeltaStep {
  const ofTasks = (tasks ?? []).flatMap(([task, writes]) => deltaWrites(task, writes));
  return { parent, versions: JSON.parse(versions), writes: [...JSON.parse(settled ?? '[]'), ...ofTasks] };
}
