/** Warnings before a disk is full: the start reports what retention deletes; the log and the diagnostic report a nearly full volume. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { volumeWatch } from '../../cli/service/checks/state-volume.ts';
import { until } from '../server/support/until.ts';
import { testService } from '../support/service.ts';
import { smallDisk } from '../support/small-disk.ts';
import { askState } from '../support/stored-state.ts';

setDefaultTimeout(60_000);

const MEBIBYTES = 8;
const disk = smallDisk(MEBIBYTES);
afterAll(() => disk?.remove());

describe.skipIf(disk === undefined)('a volume', () => {
  test('that is 80 % full is in the warnings of the diagnostic, and once in the log', async () => {
    const folder = disk?.folder ?? '';
    const service = await testService({
      env: {
        SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'sqlite',
        SERVICE_CHAT_HISTORY__DATABASE_PATH: join(folder, 'skein.db'),
      },
    });
    const warnings = async () => {
      const answer = await service.fetch('/api/v1/diagnostic');
      return ((await answer.json()) as { warnings: string[] }).warnings.join('\n');
    };
    expect(await warnings()).not.toContain('% full');
    writeFileSync(join(folder, 'other'), new Uint8Array(MEBIBYTES * 0.85 * 1024 * 1024));
    expect(await warnings()).toMatch(/chat_history\.database_path: its volume is [89]\d % full/);
    await service.close();
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const watch = volumeWatch(join(folder, 'skein.db'), log);
    watch.start();
    await until(() => lines.length > 0);
    await watch.stop();
    expect(lines.join('')).toMatch(/its volume is [89]\d % full/);
  });
});

test('a start reports how many threads are past their retention, and how many are deleted an hour', async () => {
  const config = 'chat_history: {retention_days: 30}';
  const folder = mkdtempSync(join(tmpdir(), 'skein-retention-'));
  const first = await testService({ config, folder });
  for (let n = 0; n < 25; n++) await first.chat({ thread_id: `t${n}`, user_prompt: 'My bike broke' });
  expect(first.service.retention).toBe(
    '0 of 0 threads had their last turn more than 30 days ago; they will be deleted, at most 1 an hour',
  );
  await first.close();
  const old = Date.now() - 31 * 86_400_000;
  await askState(folder, `UPDATE threads SET updated_at = $1 WHERE thread_id <> 't0'`, old);
  const second = await testService({ config, folder });
  expect(second.service.retention).toBe(
    '24 of 25 threads had their last turn more than 30 days ago; they will be deleted, at most 2 an hour',
  );
  const count = async () =>
    (await askState<{ n: number }>(folder, `SELECT count(*) AS n FROM threads WHERE owner <> ''`))[0]?.n;
  await until(async () => (await count()) === 23);
  await second.close();
  rmSync(folder, { recursive: true });
});
