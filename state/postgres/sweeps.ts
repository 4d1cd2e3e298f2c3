/** Sweeps on PostgreSQL. The owner of a name's row may work until its lease expires. */
import type { Sweeps } from '../cluster/sweeps.ts';
import type { Database } from './database/database.ts';

const LEASE_MS = 30_000;

export function sweeps(database: Database, leaseMs = LEASE_MS): Sweeps {
  const until = `clock_timestamp() + interval '${leaseMs} milliseconds'`;
  const take = `INSERT INTO skein.sweeps AS s (name, server, until) VALUES ($1, $2, ${until})
    ON CONFLICT (name) DO UPDATE SET server = excluded.server, until = excluded.until
    WHERE s.until <= clock_timestamp()`;
  const renew = `UPDATE skein.sweeps SET until = ${until} WHERE name = $1 AND server = $2`;
  const leave = 'DELETE FROM skein.sweeps WHERE name = $1 AND server = $2';

  return {
    async runExclusively(name, work) {
      const server = Bun.randomUUIDv7();
      const startedAt = performance.now();
      if ((await database.run(take, name, server)) === 0) return undefined;
      const lost = new AbortController();
      let renewedAt = startedAt;
      async function renewLease(): Promise<void> {
        const at = performance.now();
        try {
          if ((await database.run(renew, name, server)) === 0) lost.abort();
          else renewedAt = at;
        } catch {
          // Ignore a failed renewal: the lease is renewed four times per lease period.
        }
      }
      const renewals = setInterval(() => {
        // `renewedAt` is earlier than the time of the database, so no other server has the lease when this one gives up.
        if (performance.now() - renewedAt >= leaseMs) lost.abort();
        void renewLease();
      }, leaseMs / 4);
      try {
        return await work(lost.signal);
      } finally {
        clearInterval(renewals);
        // If this fails, the row is free when the lease expires.
        await database.run(leave, name, server).catch(() => {});
      }
    },
  };
}
