/** Reads checkpoints: a row with its values and task writes in one statement, then the elements of its lists. */
import type { NumberedList, Range } from '../../driver/checkpoints/list-elements.ts';
import { filled } from '../../driver/checkpoints/list-elements.ts';
import type { CheckpointRow, TaskWritesRow } from '../../driver/checkpoints/tuples.ts';
import type { Statements } from '../database/database.ts';
import { parameters } from '../database/parameters.ts';

export interface StoredRow extends CheckpointRow {
  deltas: string | null;
  /** The stored values. Empty channels are left out. */
  channel_values: StoredValue[] | null;
  task_writes: [task: string, writes: string][] | null;
}

type StoredValue = [channel: string, text: string, elements: string | null];

export interface ReadCheckpoint {
  row: CheckpointRow & { deltas: string | null };
  values: [channel: string, text: string][];
  /** The values that are lists with separately stored elements. */
  lists: Map<string, NumberedList>;
  writes: TaskWritesRow[];
}

/** Conditions on checkpoints. Undefined fields match everything. */
export interface Selection {
  thread?: string | undefined;
  ns?: string | undefined;
  id?: string | undefined;
  before?: string | undefined;
  /** Maximum number of rows, newest first. */
  limit: number;
}

const ROW = `c.*, (
    SELECT json_agg(json_build_array(v.channel, v.value, v.elements))
    FROM json_each_text(c.versions::json) AS named JOIN skein.checkpoint_values AS v
      ON v.thread = c.thread AND v.ns = c.ns AND v.channel = named.key AND v.version = named.value
  ) AS channel_values, (
    SELECT json_agg(json_build_array(w.task, w.writes) ORDER BY w.path, w.task)
    FROM skein.checkpoint_writes AS w WHERE w.thread = c.thread AND w.ns = c.ns AND w.id = c.id
  ) AS task_writes`;

export function selected(db: Statements, { limit, ...by }: Selection): Promise<StoredRow[]> {
  const { values, add } = parameters();
  const conditions = Object.entries({ thread: '=', ns: '=', id: '=', before: '<' }).flatMap(([name, is]) => {
    const value = by[name as keyof typeof by];
    return value === undefined ? [] : [`c.${name === 'before' ? 'id' : name} ${is} ${add(value)}`];
  });
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const text = `SELECT ${ROW} FROM skein.checkpoints AS c ${where} ORDER BY c.id DESC LIMIT ${add(limit)}`;
  return db.all<StoredRow>(text, ...values);
}

export async function complete(db: Statements, stored: StoredRow): Promise<ReadCheckpoint> {
  const { channel_values, task_writes, ...row } = stored;
  const { values, lists } = await withLists(db, row.thread, channel_values ?? []);
  return { row, values, lists, writes: (task_writes ?? []).map(([task, writes]) => ({ task, writes })) };
}

/** The texts of values, including the elements of their lists. */
export async function withLists(
  db: Statements,
  thread: string,
  stored: StoredValue[],
): Promise<Pick<ReadCheckpoint, 'values' | 'lists'>> {
  const split = stored.flatMap(([channel, , elements]) => (elements === null ? [] : [{ channel, elements }]));
  const lists = split.length === 0 ? new Map<string, NumberedList>() : await listsOf(db, thread, split);
  const values = stored.map(([channel, text]): [string, string] => {
    const list = lists.get(channel);
    return [channel, list ? filled(text, list.texts) : text];
  });
  return { values, lists };
}

export interface SplitValue {
  channel: string;
  /** JSON of ranges of element numbers. */
  elements: string;
}

interface ElementRow {
  channel: string;
  seq: number;
  value: string;
}

/** Reads lists by channel. `split` must have at most one entry per channel. */
export async function listsOf(
  db: Statements,
  thread: string,
  split: SplitValue[],
): Promise<Map<string, NumberedList>> {
  const ranges = split.flatMap(({ channel, elements }) =>
    (JSON.parse(elements) as Range[]).map(([from, to]) => ({ channel, from, to })),
  );
  const rows = await db.all<ElementRow>(
    `SELECT e.channel, e.seq, e.value
     FROM jsonb_to_recordset($2::text::jsonb) AS r("channel" text, "from" bigint, "to" bigint)
     JOIN skein.checkpoint_elements AS e
       ON e.thread = $1 AND e.channel = r.channel AND e.seq BETWEEN r."from" AND r."to"`,
    ...[thread, JSON.stringify(ranges)],
  );
  const texts = new Map(rows.map(({ channel, seq, value }) => [`${seq} ${channel}`, value]));
  const lists = new Map(
    split.map(({ channel }): [string, NumberedList] => [channel, { texts: [], seqs: [] }]),
  );
  for (const { channel, from, to } of ranges) {
    const list = lists.get(channel);
    for (let seq = from; seq <= to; seq++) {
      const text = texts.get(`${seq} ${channel}`);
      if (text === undefined)
        throw new Error(`Some of the elements ${from} to ${to} of the channel '${channel}' are missing`);
      list?.seqs.push(seq);
      list?.texts.push(text);
    }
  }
  return lists;
}
