/** Runs for readers on PostgreSQL. */
import {
  type RunRow,
  statisticsOf,
  toRun,
  toUsage,
  UNREADABLE_RUN,
  type UsageColumns,
} from '../../driver/rows.ts';
import { errorBody, SkeinError } from '../../errors.ts';
import type { Run, Runs } from '../../threads/runs.ts';
import { summedUsage } from '../../usage/model-usage.ts';
import type { Database } from '../database/database.ts';

const RUN = `SELECT r.run_id, r.thread, t.thread_id, t.owner, r.message_id, r.workflow, r.status, r.request, r.attempt,
    r.lease, r.created_at, r.not_before, r.started_at, r.finished_at, r.input_tokens, r.output_tokens, r.models,
    r.agents, r.result, r.error
  FROM skein.runs AS r JOIN skein.threads AS t ON t.key = r.thread`;

export function runs(database: Database): Runs {
  /** A run whose row cannot be read fails here, so that it does not prevent reading the others. */
  async function parseOrFail(row: RunRow): Promise<Run[]> {
    try {
      return [toRun(row)];
    } catch {
      const error = errorBody(new SkeinError('INTERNAL_ERROR', { message: UNREADABLE_RUN }), row.run_id);
      await database.run(
        `UPDATE skein.runs SET status = 'failed', finished_at = $1, error = $2
         WHERE run_id = $3 AND finished_at IS NULL`,
        Date.now(),
        JSON.stringify(error),
        row.run_id,
      );
      return [];
    }
  }

  return {
    async find(owner, runId) {
      const row = await database.get<RunRow>(`${RUN} WHERE r.run_id = $1 AND t.owner = $2`, runId, owner);
      return toRun(row ?? null);
    },
    async ownerOf(runId) {
      const row = await database.get<{ owner: string }>(
        `SELECT t.owner FROM skein.runs AS r JOIN skein.threads AS t ON t.key = r.thread
         WHERE r.run_id = $1 AND t.owner <> ''`,
        runId,
      );
      return row?.owner;
    },
    async unfinished() {
      const rows = await database.all<RunRow>(`${RUN} WHERE r.finished_at IS NULL ORDER BY r.seq`);
      return (await Promise.all(rows.map(parseOrFail))).flat();
    },
    async hasEnded(runId) {
      const unfinished = 'SELECT 1 FROM skein.runs WHERE run_id = $1 AND finished_at IS NULL';
      return (await database.get(unfinished, runId)) === undefined;
    },
    async answering(threadKey, runId) {
      const rows = await database.all<{ run_id: string }>(
        'SELECT run_id FROM skein.runs WHERE thread = $1 AND finished_at IS NULL AND resumes = $2',
        ...[Number(threadKey), runId],
      );
      return rows.map(({ run_id }) => run_id);
    },
    async usageOf(threadKey) {
      const rows = await database.all<UsageColumns>(
        'SELECT input_tokens, output_tokens, models FROM skein.runs WHERE thread = $1',
        Number(threadKey),
      );
      return summedUsage(rows.map(toUsage));
    },
    async statistics(workflow) {
      return statisticsOf(
        await database.all<RunRow>(
          `SELECT status, created_at, started_at, finished_at FROM skein.runs
           WHERE workflow = $1 AND finished_at IS NOT NULL ORDER BY created_at DESC LIMIT 100`,
          workflow,
        ),
      );
    },
  };
}
