/** The usage of runs on SQLite. */
import type { Database } from 'bun:sqlite';
import { dayOf, GROUP_COLUMNS, type SumRow, toGroupUsage, usageRows } from '../../driver/usage-rows.ts';
import type { RunEnd } from '../../threads/runs.ts';
import type { UsageStore } from '../../usage/usage-store.ts';
import type { GroupCommit } from '../file/group-commit.ts';

/** Returns a function that counts an ended run. Must be called inside a transaction, before the run's row is deleted. */
export function usageCounting(db: Database): (end: RunEnd) => void {
  const count = db.query(
    `INSERT INTO usage (owner, day, workflow, model, runs, input_tokens, output_tokens, cost)
     SELECT owner, ?1, workflow, ?2, 1, ?3, ?4, ?5 FROM runs WHERE run_id = ?6
     ${ADDING}`,
  );
  return (end) => {
    for (const { model, input_tokens, output_tokens, cost } of usageRows(end))
      count.run(dayOf(end.finishedAt), model, input_tokens, output_tokens, cost, end.run.runId);
  };
}

const ADDING = `ON CONFLICT (owner, day, workflow, model, slot) DO UPDATE SET runs = runs + excluded.runs,
  input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
  cost = cost + excluded.cost`;

export function usageStore(db: Database, commit: Pick<GroupCommit, 'flush' | 'write'>): UsageStore {
  return {
    async add({ owner, workflow, usage, at }) {
      const count = db.query(
        `INSERT INTO usage (owner, day, workflow, model, runs, input_tokens, output_tokens, cost)
         VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7) ${ADDING}`,
      );
      await commit.write('usage', () => {
        for (const { model, input_tokens, output_tokens, cost } of usageRows({ usage }))
          count.run(owner, dayOf(at), workflow, model, input_tokens, output_tokens, cost);
      });
    },
    async sums({ owner = null, from, to, by }) {
      commit.flush();
      const column = GROUP_COLUMNS[by];
      // The rows without a model count the runs.
      const counted = by === 'model' ? `model <> ''` : `model = ''`;
      const sums = db.query<SumRow, [string, string, string | null]>(
        `SELECT ${column} AS name, sum(CASE WHEN ${counted} THEN runs ELSE 0 END) AS runs,
           sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cost) AS cost
         FROM usage WHERE day BETWEEN ?1 AND ?2 AND (?3 IS NULL OR owner = ?3) ${by === 'model' ? `AND ${counted}` : ''}
         GROUP BY name ORDER BY name`,
      );
      return sums.all(from, to, owner).map(toGroupUsage);
    },
  };
}
