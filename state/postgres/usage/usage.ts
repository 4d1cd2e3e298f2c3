/** The usage of runs on PostgreSQL. */
import { dayOf, GROUP_COLUMNS, type SumRow, toGroupUsage, usageRows } from '../../driver/usage-rows.ts';
import type { UsageStore } from '../../usage/usage-store.ts';
import { type Database, document } from '../database/database.ts';

export function usageStore(database: Database): UsageStore {
  return {
    async add({ owner, workflow, usage, at }) {
      await database.run(
        `INSERT INTO skein.usage AS u (owner, day, workflow, model, slot, runs, input_tokens, output_tokens, cost)
         SELECT $1, $2, $3, n ->> 'model', pg_backend_pid() % 64, 0,
           (n ->> 'input_tokens')::bigint, (n ->> 'output_tokens')::bigint, (n ->> 'cost')::double precision
         FROM jsonb_array_elements($4::text::jsonb) WITH ORDINALITY AS one(n, place) ORDER BY place
         ON CONFLICT (owner, day, workflow, model, slot) DO UPDATE SET runs = u.runs + excluded.runs,
           input_tokens = u.input_tokens + excluded.input_tokens,
           output_tokens = u.output_tokens + excluded.output_tokens, cost = u.cost + excluded.cost`,
        ...[owner, dayOf(at), workflow, document(usageRows({ usage }))],
      );
    },
    async sums({ owner = null, from, to, by }) {
      const column = GROUP_COLUMNS[by];
      // The rows without a model count the runs.
      const counted = by === 'model' ? `model <> ''` : `model = ''`;
      const rows = await database.all<SumRow>(
        `SELECT ${column} COLLATE "C" AS name, coalesce(sum(runs) FILTER (WHERE ${counted}), 0)::bigint AS runs,
           sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens, sum(cost) AS cost
         FROM skein.usage WHERE day BETWEEN $1 AND $2 AND ($3::text IS NULL OR owner = $3)
           ${by === 'model' ? `AND ${counted}` : ''}
         GROUP BY name ORDER BY name`,
        ...[from, to, owner],
      );
      return rows.map(toGroupUsage);
    },
  };
}
