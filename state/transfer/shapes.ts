/** Converts rows between the form of each driver and the common form of `tables.ts`. */
import { type RunRow, toRun } from '../driver/rows.ts';
import { cleaned } from '../postgres/database/database.ts';
import type { Run } from '../threads/runs.ts';
import { storedModels } from '../usage/model-usage.ts';
import type { Row, Value } from './store.ts';
import type { Kind, Table } from './tables.ts';

type Driver = 'sqlite' | 'postgres';

/** The SELECT list of a table. A copied run is not executed by any process, so running ones become queued. */
export function readColumns(driver: Driver, { name, columns }: Table): string {
  const selected = Object.keys(columns).map((column) => {
    if (name === 'runs' && column === 'status')
      return `CASE WHEN status = 'running' THEN 'queued' ELSE status END AS status`;
    if (driver === 'sqlite') {
      if (name === 'threads' && IN_INTERRUPT.includes(column)) return `NULL AS ${column}`;
      if (name === 'threads' && column === 'last_seq') return LAST_SEQ;
      if (name === 'runs' && column === 'seq') return 'rowid AS seq';
      if (name === 'checkpoint_values' && column === 'version') return 'CAST(version AS TEXT) AS version';
    }
    return column;
  });
  return selected.join(', ');
}

/** The columns to write, with their kinds. */
export function writtenColumns(driver: Driver, { name, columns }: Table): Record<string, Kind> {
  if (driver === 'sqlite') {
    if (name === 'threads')
      return Object.fromEntries(Object.entries(columns).filter(([column]) => !IN_INTERRUPT.includes(column)));
    if (name !== 'runs') return columns;
    const { seq = 'number', ...rest } = columns;
    return { rowid: seq, ...rest };
  }
  return name === 'runs'
    ? { ...columns, protocol: 'number', supersedes: 'number', resumes: 'text' }
    : columns;
}

/** Converts a row from the form of its driver. PostgreSQL stores only integers in these columns, and text without NUL. */
export function fromStored(driver: Driver, table: Table, row: Row): Row {
  const shaped = (driver === 'sqlite' ? FROM_SQLITE : FROM_POSTGRES)[table.name]?.(row) ?? row;
  return Object.fromEntries(
    Object.entries(table.columns).map(([column, kind]) => [column, plain(kind, shaped[column] ?? null)]),
  );
}

/** Converts a row to the form of the driver. */
export function toStored(driver: Driver, table: Table, row: Row): Row {
  return (driver === 'sqlite' ? TO_SQLITE : TO_POSTGRES)[table.name]?.(row) ?? row;
}

function plain(kind: Kind, value: Value): Value {
  if (typeof value === 'number') return kind === 'real' ? value : Math.trunc(value);
  if (typeof value !== 'string') return value;
  const text = value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  return kind === 'json' ? cleaned(text) : text;
}

// SQLite updates `threads.last_seq` only for state changes and deleted batches. The newest batch may have a higher number.
const LAST_SEQ = `max(last_seq, coalesce((SELECT max(e.seq) FROM events AS e WHERE e.thread = threads.key), 0)) AS last_seq`;
const IN_INTERRUPT = ['interrupt_run', 'interrupt_since', 'interrupt_writes'];

interface StoredInterrupt {
  runId?: string;
  headBefore?: string | null;
  /** JSON. Missing in interrupts of an earlier version. */
  writes?: string;
}

const FROM_SQLITE: Record<string, (row: Row) => Row> = {
  threads(row) {
    if (typeof row.interrupt !== 'string') return row;
    const { writes = null, ...interrupt } = JSON.parse(row.interrupt) as StoredInterrupt;
    return {
      ...row,
      interrupt: JSON.stringify(interrupt),
      interrupt_run: interrupt.runId ?? null,
      interrupt_since: interrupt.headBefore ?? null,
      interrupt_writes: writes,
    };
  },
};

const TO_SQLITE: Record<string, (row: Row) => Row> = {
  threads({ interrupt_writes: writes, ...row }) {
    if (typeof row.interrupt !== 'string' || typeof writes !== 'string') return row;
    return { ...row, interrupt: JSON.stringify({ ...JSON.parse(row.interrupt), writes }) };
  },
  runs: ({ seq, ...row }) => ({ ...row, rowid: seq ?? null }),
};

const FROM_POSTGRES: Record<string, (row: Row) => Row> = {
  threads(row) {
    // These columns keep stale values of an answered interrupt.
    if (row.interrupt === null)
      return { ...row, interrupt_run: null, interrupt_since: null, interrupt_writes: null };
    return row;
  },
  webhook_deliveries(row) {
    if (typeof row.run !== 'string') return row;
    return {
      ...row,
      run: JSON.stringify({ ...toRun(JSON.parse(row.run) as RunRow), agents: [], result: null }),
    };
  },
};

const TO_POSTGRES: Record<string, (row: Row) => Row> = {
  runs(row) {
    const { protocol, supersedes, resume } = JSON.parse(String(row.request)) as Run['request'];
    const resumes = resume?.runId ?? null;
    return { ...row, protocol: protocol ? 1 : 0, supersedes: supersedes ? 1 : 0, resumes };
  },
  webhook_deliveries(row) {
    return typeof row.run === 'string' ? { ...row, run: JSON.stringify(runRow(JSON.parse(row.run))) } : row;
  },
};

/** The reverse of `toRun`. */
function runRow(run: Run): RunRow {
  const { runId, threadKey, threadId, owner, messageId, workflow, status, attempt, lease } = run;
  return {
    ...{ run_id: runId, thread: Number(threadKey), thread_id: threadId, owner, message_id: messageId },
    ...{ workflow, status, request: JSON.stringify(run.request), attempt, lease },
    ...{ created_at: run.createdAt, not_before: run.notBefore },
    ...{ started_at: run.startedAt, finished_at: run.finishedAt },
    ...{ input_tokens: run.usage.inputTokens, output_tokens: run.usage.outputTokens },
    ...{
      models: storedModels(run.usage.models),
      agents: null,
      result: null,
      error: run.error && JSON.stringify(run.error),
    },
  };
}
