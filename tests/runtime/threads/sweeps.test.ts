/** Only one of several servers sweeps at a time. */
import { expect, test } from 'bun:test';
import pino from 'pino';
import { retention } from '../../../runtime/threads/retention.ts';
import { temporaryThreads } from '../../../runtime/threads/temporary-threads.ts';
import { threadExpiry } from '../../../runtime/threads/thread-expiry.ts';
import type { Archive } from '../../../state/archive.ts';
import type { Sweeps } from '../../../state/sweeps.ts';
import { until } from '../../server/support/until.ts';

test('old, temporary and expired threads are kept while another server deletes such threads', async () => {
  const asked: string[] = [];
  const sweeps: Sweeps = { runExclusively: async (name) => void asked.push(name) };
  // Any call of it fails the test.
  const removal = new Proxy({} as Archive['removal'], {
    get: (_, name) => {
      throw new Error(`removal.${String(name)} is used`);
    },
  });
  const parts = { expireThread: async () => true, sweeps, log: pino({ level: 'silent' }) };
  const all = [
    retention({
      ...parts,
      ...{ removal, retentionDays: 1, eventRetentionHours: 1, maxSharePerHour: 1 },
      retentionHour: { take: removalFails, release: removalFails },
    }),
    temporaryThreads({ ...parts, removal: { temporary: () => removal.temporary(1, 1) } }),
    threadExpiry({
      ...parts,
      removal: { expired: () => removal.expired(1, 1), history: removalFails, scrub: removalFails },
    }),
  ];
  for (const one of all) one.start();
  await until(() => asked.length === 3);
  await Promise.all(all.map((one) => one.stop()));
  expect(asked.toSorted()).toEqual(['retention', 'temporary threads', 'thread expiry']);
});

async function removalFails(): Promise<never> {
  throw new Error('removal is used');
}
