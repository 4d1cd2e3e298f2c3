/** The audit log of logins and changes, and the data that it must not contain. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type Authenticator, createAuthenticator } from '../../../server/authentication/authenticator.ts';
import { loadSettings } from '../../../settings/load.ts';
import type { SpentTokens } from '../../../state/callers/spent-tokens.ts';
import { openSqlite } from '../../../state/sqlite/open.ts';
import { spawnCommand } from '../../support/process.ts';
import {
  ANN,
  BOB,
  basic,
  bearer,
  KEY,
  OTHER_PASSWORD,
  PASSWORD,
  protectedConfig,
  SECRET,
} from '../support/credentials.ts';

// Hashing passwords and starting processes are slow on a busy machine.
setDefaultTimeout(30_000);

interface Line {
  audit?: string;
  user?: string | null;
  address?: string;
}

async function withAuthenticator(
  work: (authenticator: Authenticator, lines: Line[], text: () => string) => Promise<void>,
  spent?: SpentTokens,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-audit-'));
  const written: string[] = [];
  const lines: Line[] = [];
  const write = (line: string) => {
    written.push(line);
    lines.push(JSON.parse(line));
  };
  await Bun.write(join(folder, 'config.yml'), protectedConfig('rotate_refresh_tokens: true'));
  const { settings } = loadSettings({ cwd: folder, env: {}, flags: {} });
  const state = openSqlite({ path: join(folder, 'skein.db'), checkpointsPerThread: 20 });
  const authenticator = createAuthenticator({
    options: settings.web_configuration.authentication,
    spent: spent ?? state.spentTokens,
    counters: state.counters,
    log: pino({ level: 'trace' }, { write }),
  });
  await work(authenticator, lines, () => written.join(''));
  await state.close();
  rmSync(folder, { recursive: true });
}

const request = (headers: Record<string, string>) => new Request('http://localhost/x', { headers });
const address = '192.0.2.7';

test('a login, a failed login and the reuse of a refresh token are logged without secrets', async () => {
  const reused: SpentTokens = { spend: async () => 'reused' };
  await withAuthenticator(async (authenticator, lines, text) => {
    const { login, refresh } = authenticator.sessions();
    const pair = await login({ address, username: 'bob', password: OTHER_PASSWORD });
    const failures = [
      login({ address, username: 'bob', password: 'wrong-canary' }),
      login({ address, username: 'name-canary', password: 'x' }),
      authenticator.identify(request(basic('bob', 'canary-too')), address),
      authenticator.identify(request(bearer('token-canary.x.y')), address),
      refresh(pair.refreshToken, address),
    ];
    const codes = await Promise.all(failures.map((failure) => failure.catch((error) => error.code)));
    expect(new Set(codes)).toEqual(new Set(['UNAUTHORIZED']));
    await authenticator.identify(request(ANN), address);
    await authenticator.identify(request({ 'x-api-key': KEY }), address);
    const logged = lines.map(({ audit, user, address: from }) => ({ audit, user, from }));
    const line = (audit: string, user: string | null) => ({ audit, user, from: address });
    expect(logged.toSorted((a, b) => `${a.audit} ${a.user}`.localeCompare(`${b.audit} ${b.user}`))).toEqual([
      line('login', 'bob'),
      line('login_failed', 'bob'),
      line('login_failed', 'bob'),
      line('login_failed', null),
      line('refresh_reuse', 'bob'),
    ]);
    for (const secret of [
      'canary',
      PASSWORD,
      OTHER_PASSWORD,
      KEY,
      SECRET,
      pair.accessToken,
      pair.refreshToken,
    ])
      expect(text()).not.toContain(secret);
  }, reused);
});

test('an unknown username takes as long as a wrong password', async () => {
  await withAuthenticator(async (authenticator) => {
    const took = async (username: string) => {
      const began = performance.now();
      await authenticator
        .sessions()
        .login({ address, username, password: 'wrong' })
        .catch(() => {});
      return performance.now() - began;
    };
    await took('ann');
    const times = { ann: [] as number[], nobody: [] as number[] };
    const isAsLong = () => Math.min(...times.nobody) > Math.min(...times.ann) / 3;
    // A busy machine can change its speed between two attempts. Without the hash, every attempt would take a thousandth.
    for (let round = 0; round < 3 || (round < 20 && !isAsLong()); round++) {
      times.ann.push(await took('ann'));
      times.nobody.push(await took('nobody'));
    }
    expect(isAsLong()).toBe(true);
  });
});

test('changes of prompt files and deletions of threads are logged with their caller, but without content', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-audit-'));
  await Bun.write(join(folder, 'config.yml'), protectedConfig());
  const child = spawnCommand(['serve', '--port', '0', '--host', '127.0.0.1'], folder, {});
  let url = '';
  for await (const text of child.lines) {
    url = /listening on (\S+)/.exec(text)?.[1] ?? '';
    if (url !== '') break;
  }
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { ...BOB, 'content-type': 'application/json' };
    const init = { method, headers, body: body && JSON.stringify(body) };
    return (await fetch(`${url}/api/v1/${path}`, init)).status;
  };
  const entries = [
    await ask('POST', 'prompts/update/v1/a.md', { content: 'content-canary' }),
    await ask('POST', 'prompts/restore/v1/a.md', { version: 1 }),
    await ask('POST', 'prompts/update/v1/b.jinja', { content: '{% canary' }),
    await ask('POST', 'chat', {
      user_prompt: 'canary?',
      conversation_flow: 'classification-agent',
      thread_id: 't',
    }),
    await ask('DELETE', 'threads/t'),
    await ask('DELETE', 'threads/t'),
  ];
  expect(entries).toEqual([200, 200, 400, 200, 204, 404]);
  child.kill('SIGTERM');
  await Promise.all([child.exited, child.errors]);
  const lines = child
    .output()
    .split('\n')
    .filter((line) => line.includes('"audit"'));
  const file = { revision_id: 'v1', filename: 'a.md', author: 'user:bob' };
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ audit: 'prompt updated', ...file, version: 1 }),
    expect.objectContaining({ audit: 'prompt restored', ...file, version: 2 }),
    expect.objectContaining({ audit: 'thread deleted', thread_id: 't', owner: 'user:bob' }),
  ]);
  expect(child.output()).not.toContain('canary');
  rmSync(folder, { recursive: true });
}, 60_000);
