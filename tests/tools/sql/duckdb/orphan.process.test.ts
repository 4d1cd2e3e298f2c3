/** The process of a database after its parent has ended. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnIsolated } from '../../../../tools/processes/spawn-isolated.ts';
import { withTemporaryFolder } from '../../../support/temporary-folder.ts';

const MAIN = join(import.meta.dir, '../../../../tools/sql/duckdb/process/process.ts');

test('it exits, and leaves no folder', async () => {
  const own = mkdtempSync(join(tmpdir(), 'skein-orphan-'));
  await withTemporaryFolder(own, async () => {
    const { child } = spawnIsolated(MAIN, 'sql');
    expect(readdirSync(own).length).toBe(1);
    await child.stdout.cancel();
    // Its input stays open, so only writing the answer fails.
    child.stdin.write(`${JSON.stringify({ maxMemory: 512 * 1024 * 1024 })}\n`);
    await child.stdin.flush();
    await child.exited;
    expect(readdirSync(own)).toEqual([]);
  });
  rmSync(own, { recursive: true });
}, 60_000);
