/** `skein prompts` as a process, on files in PostgreSQL, while a service uses them. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, POSTGRES } from '../support/postgres-database.ts';
import { spawnCommand } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-prompts-postgres-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FILE = 'classification-agent.responder.jinja';
const STORAGE = { SERVICE_PROMPTS__STORAGE: 'postgresql' };

async function prompts(args: string[], env: Record<string, string>) {
  const child = spawnCommand(['prompts', ...args], folder, { ...STORAGE, ...env });
  const [errors] = await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output(), errors };
}

describe.skipIf(!POSTGRES)('on a server', () => {
  test('files are edited, shown, compared, restored and listed', async () => {
    const { url, drop } = await freshDatabase();
    const at = { SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql', DATABASE_URL: url };
    for (const text of ['one', 'two']) {
      const EDITOR = `printf '${text}\\n' >`;
      const edited = await prompts(['edit', `v1/${FILE}`], { ...at, EDITOR });
      expect(edited).toMatchObject({ code: 0, output: expect.stringContaining('is now version') });
    }
    expect((await prompts(['show', 'v1', FILE], at)).output).toBe('two\n');
    expect((await prompts(['restore', 'v1', FILE, '1'], at)).output).toContain('is now version 3');
    expect((await prompts(['history', 'v1', FILE], at)).output.match(/cli:/g)).toHaveLength(3);
    expect((await prompts(['list'], at)).output).toMatch(
      /^default .* shipped\nv1 {2}1 files {2}postgresql\n$/,
    );
    await drop();
  }, 120_000);

  test('it fails without a database', async () => {
    const { code, output } = await prompts(['list'], {});
    expect(code).toBe(2);
    expect(output).toContain("'prompts.storage': must be local or azure unless chat_history.database_type");
  }, 60_000);
});
