/** Opens a state on an empty database, and the state of the next process. */
import type { OpenedState } from '../../state/opened-state.ts';
import { openPostgres } from '../../state/postgres/open.ts';
import { freshDatabase } from './postgres-database.ts';

export async function openedPostgres() {
  const { url, drop } = await freshDatabase();
  const open = () => openPostgres({ url, poolSize: 4, leaseSeconds: 5, checkpointsPerThread: 20 });
  const all: OpenedState[] = [await open()];
  const [state] = all as [OpenedState];
  return {
    state,
    url,
    /** Opens another server on the same database. */
    async another() {
      const one = await open();
      all.push(one);
      return one;
    },
    /** Replaces the first server by another one. */
    async next() {
      await all.at(-1)?.close();
      const one = await open();
      all.push(one);
      return one;
    },
    async close() {
      await Promise.all(all.map((one) => one.close().catch(() => {})));
      await drop();
    },
  };
}
