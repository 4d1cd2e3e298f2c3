/** Which threads are reported to a list of threads: only those that have changed. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadChanges } from '../../../../runtime/run/following/thread-changes.ts';
import { threadActivity } from '../../../../runtime/run/thread-activity.ts';
import { openSqlite } from '../../../../state/sqlite/open.ts';
import { storedTurn } from '../../../contracts/turn.ts';
import { until } from '../../../server/support/until.ts';

test('nothing is reported until a thread changes, and then only that thread', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-changes-'));
  const state = openSqlite({ path: join(folder, 'state.db'), checkpointsPerThread: 20 });
  const { threads } = state.archive;
  for (const threadId of ['a', 'b']) await storedTurn(state, { threadId });
  let reads = 0;
  const list: typeof threads.list = (...args) => {
    reads++;
    return threads.list(...args);
  };
  const stopper = new AbortController();
  const changes = threadChanges(
    { archive: { threads: { list } }, activity: threadActivity(), lookAgain: 5 },
    { owner: 'ann', signal: stopper.signal },
  );
  expect((await changes.next()).value).toEqual([]);
  const next = changes.next();
  await until(() => reads > 2);
  await threads.update('ann', 'b', { title: 'Renamed' });
  expect((await next).value).toEqual(['b']);
  await threads.update('ann', 'a', { title: 'Renamed' });
  expect((await changes.next()).value).toEqual(['a']);
  stopper.abort();
  expect((await changes.next()).done).toBe(true);
  await state.close();
  rmSync(folder, { recursive: true });
});
