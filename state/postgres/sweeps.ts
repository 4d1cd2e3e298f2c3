/** Sweeps on PostgreSQL: who has a name's row may work, until some time after its last sign of life. */
import type { Sweeps } from '../sweeps.ts';
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
    async alone(name, work) {
      const server = Bun.randomUUIDv7();
      const asked = performance.now();
      if ((await database.run(take, name, server)) === 0) return undefined;
      const lost = new AbortController();
      let renewedAt = asked;
      async function sign(): Promise<void> {
        const at = performance.now();
        try {
          if ((await database.run(renew, name, server)) === 0) lost.abort();
          else renewedAt = at;
        } catch {
          // A sign that fails is given again in time: four fit into the lease.
        }
      }
      const signs = setInterval(() => {
        // The database counts from a moment later than this: at its end, nobody has the lease yet.
        if (performance.now() - renewedAt >= leaseMs) lost.abort();
        void sign();
      }, leaseMs / 4);
      try {
        return await work(lost.signal);
      } finally {
        clearInterval(signs);
        // Where it fails the row is free when its lease is over.
        await database.run(leave, name, server).catch(() => {});
      }
    },
  };
}
