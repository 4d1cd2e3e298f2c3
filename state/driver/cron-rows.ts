/** Converts crons from and to rows. */
import type { Cron, CronContent, CronSearch } from '../resources/crons.ts';

export interface CronRow {
  cron_id: string;
  owner: string;
  owner_name: string;
  assistant_id: string;
  thread_id: string | null;
  schedule: string;
  timezone: string | null;
  enabled: number;
  end_time: number | null;
  on_run_completed: Cron['onRunCompleted'];
  payload: string;
  metadata: string;
  next_at: number | null;
  created_at: number;
  updated_at: number;
}

/** The columns by which a search sorts. */
export const CRON_ORDERS: Record<CronSearch['sortBy'], string> = {
  ...{ cron_id: 'cron_id', assistant_id: 'assistant_id', thread_id: 'thread_id', created_at: 'created_at' },
  ...{ updated_at: 'updated_at', next_run_date: 'next_at', end_time: 'end_time' },
};

export function contentColumns(content: CronContent) {
  const { schedule, timezone, enabled, endTime, onRunCompleted, payload, metadata, nextAt } = content;
  return {
    ...{ schedule, timezone, enabled: enabled ? 1 : 0, end_time: endTime, on_run_completed: onRunCompleted },
    ...{ payload: JSON.stringify(payload), metadata: JSON.stringify(metadata), next_at: nextAt },
  };
}

export function toCron(row: CronRow): Cron {
  return {
    ...{ cronId: row.cron_id, owner: row.owner, ownerName: row.owner_name, assistantId: row.assistant_id },
    ...{
      threadId: row.thread_id,
      schedule: row.schedule,
      timezone: row.timezone,
      enabled: row.enabled === 1,
    },
    ...{ endTime: row.end_time, onRunCompleted: row.on_run_completed, nextAt: row.next_at },
    ...{ payload: JSON.parse(row.payload), metadata: JSON.parse(row.metadata) },
    ...{ createdAt: row.created_at, updatedAt: row.updated_at },
  };
}
