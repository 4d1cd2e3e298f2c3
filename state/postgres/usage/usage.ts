/** What runs have used, on PostgreSQL. */
import { GROUP_COLUMNS, type SumRow, toGroupUsage } from '../../driver/usage-rows.ts';
import type { UsageStore } from '../../usage-store.ts';
import type { Database } from '../database/database.ts';

export function usageStore(database: Database): UsageStore {
  return {
    async sums({ owner = null, from, to, by }) {
      const column = GROUP_COLUMNS[by];
      // The row without a model counts the runs.
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
