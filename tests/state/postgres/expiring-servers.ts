/** A state on PostgreSQL whose servers can lose their leases while they are alive. */
import { SQL } from 'bun';
import type { OpenedState } from '../../../state/opened-state.ts';
import type { Claim } from '../../../state/threads/coordination.ts';
import { until } from '../../server/support/until.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';

export async function expiringServers() {
  const { state: first, another, url, close } = await openedPostgres();
  const sql = new SQL({ url, max: 1 });
  return {
    first,
    another,
    sql,
    /** Ends the lease of the server that has claimed the run, and lets another one claim it. */
    async takeOver(runId: string, to: OpenedState): Promise<Claim | undefined> {
      await sql`UPDATE skein.servers SET alive_until = '-infinity'
        WHERE id = (SELECT server FROM skein.runs WHERE run_id = ${runId})`;
      return (await to.coordination.claim(1))[0];
    },
    /** Ends the leases of all servers; resolves when the first one has a new id. */
    async expire(): Promise<void> {
      const admin = new SQL({ url, max: 1 });
      await admin`UPDATE skein.servers SET alive_until = '-infinity'`;
      await until(
        async () => (await admin`SELECT 1 FROM skein.servers WHERE alive_until > now()`).length > 0,
        20_000,
      );
      await admin.close({ timeout: 0 });
    },
    /** Resolves at the next renewal of a lease. */
    async renewed(): Promise<void> {
      const newest = async () => Number((await sql`SELECT max(alive_until) AS at FROM skein.servers`)[0].at);
      const before = await newest();
      await until(async () => (await newest()) > before, 20_000);
    },
    async close() {
      await sql.close({ timeout: 0 });
      await close();
    },
  };
}
