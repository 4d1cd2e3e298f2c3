/** A backup of a state on PostgreSQL is an SQLite file, and can be restored into either database. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase, POSTGRES } from '../../support/postgres-database.ts';
import { runCommand } from '../../support/run-command.ts';
import { type TestService, testService } from '../../support/service.ts';
import { onPostgres } from '../state/filled-service.ts';

setDefaultTimeout(120_000);

const root = mkdtempSync(join(tmpdir(), 'skein-backup-'));
afterAll(() => rmSync(root, { recursive: true }));

function newFolder(name: string): string {
  const folder = join(root, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.yml'), '');
  return folder;
}

async function promptsOf(service: TestService, thread: string): Promise<string[]> {
  const answer = await service.fetch(`/api/v1/threads/${thread}/messages`);
  const { messages } = (await answer.json()) as { messages: { role: string; content: string }[] };
  return messages.filter(({ role }) => role === 'user').map(({ content }) => content);
}

const ON_FILE = { SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'sqlite' };

describe.skipIf(POSTGRES === undefined)('with PostgreSQL', () => {
  test('it is saved while a server runs, and restored into another database and into a file', async () => {
    const [{ url }, { url: other }] = await Promise.all([freshDatabase(), freshDatabase()]);
    const [folder, saved] = [newFolder('server'), join(root, 'saved')];
    const service = await testService({ folder, env: onPostgres(url) });
    await service.chat({ thread_id: 't', user_prompt: 'My bike broke' });
    const { code, errors } = await runCommand(['backup', saved], folder, onPostgres(url));
    expect({ code, errors }).toEqual({ code: 0, errors: '' });

    const refused = await runCommand(['restore', saved], newFolder('running'), onPostgres(url));
    expect(refused.code).toBe(2);
    expect(refused.errors).toContain('servers are running on this database');
    expect(existsSync(join(root, 'running/.tmp/skein.db-restore'))).toBe(false);
    await service.close();

    for (const [name, env] of [
      ['database', onPostgres(other)],
      ['file', ON_FILE],
    ] as const) {
      const place = newFolder(name);
      expect(await runCommand(['restore', saved], place, env)).toMatchObject({ code: 0 });
      const restored = await testService({ folder: place, env });
      await restored.chat({ thread_id: 't', user_prompt: 'And now?' });
      expect(await promptsOf(restored, 't')).toEqual(['My bike broke', 'And now?']);
      await restored.close();
    }
  });

  test("a database with other content is rejected, and an error of a wrong password doesn't show it", async () => {
    const { url } = await freshDatabase();
    const folder = newFolder('filled');
    const service = await testService({ folder, env: onPostgres(url) });
    await service.chat({ thread_id: 'mine', user_prompt: 'Mine' });
    await service.close();
    const { code, errors } = await runCommand(['restore', join(root, 'saved')], folder, onPostgres(url));
    expect(code).toBe(2);
    expect(errors).toContain("'chat_history.connection_string': it is not empty");
    const again = await testService({ folder, env: onPostgres(url) });
    expect(await promptsOf(again, 'mine')).toEqual(['Mine']);
    await again.close();
    const nobody = onPostgres('postgres://u:secret-word@127.0.0.1:9/x');
    const unreachable = await runCommand(['backup', join(root, 'never')], folder, nobody);
    expect(unreachable.code).toBe(2);
    expect(unreachable.errors).not.toContain('secret-word');
  });
});
