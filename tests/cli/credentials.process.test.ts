/** `skein users hash` and `skein keys create`: their output works in the settings without changes. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basic } from '../server/support/credentials.ts';
import { BARE_ENVIRONMENT } from '../support/bare-environment.ts';
import { testService } from '../support/service.ts';

// Hashing passwords and starting processes is slow on a busy machine.
setDefaultTimeout(30_000);

const MAIN = join(import.meta.dir, '..', '..', 'cli', 'main.ts');

async function skein(args: string[], input = '') {
  const folder = mkdtempSync(join(tmpdir(), 'skein-cli-'));
  const child = Bun.spawn([process.execPath, '--no-env-file', MAIN, ...args], {
    cwd: folder,
    env: BARE_ENVIRONMENT,
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  rmSync(folder, { recursive: true });
  return { out, errors, code };
}

/** Settings with these entries. */
function configWith(entries: string): string {
  const fields = ['enable: true', 'username: ann', 'password: x', `jwt_secret_key: ${'s'.repeat(32)}`];
  const lines = [...fields, ...entries.trim().split('\n')].map((line) => `    ${line}`);
  return ['web_configuration:', '  authentication:', ...lines].join('\n');
}

test('a hashed user can log in with a password of any characters', async () => {
  const password = 'grün: käse 🚲';
  const { out, code } = await skein(['users', 'hash', 'carl'], `${password}\n`);
  expect(code).toBe(0);
  expect(out).not.toContain(password);
  const service = await testService({ config: configWith(out) });
  const ask = (headers: Record<string, string>) => service.fetch('/api/v1/auth/verify', { headers });
  expect(await (await ask(basic('carl', password))).json()).toMatchObject({ username: 'carl' });
  expect((await ask(basic('carl', `${password}\n`))).status).toBe(401);
  await service.close();
});

test('a created key authenticates a caller, and no two keys are equal', async () => {
  const [first, second] = [
    await skein(['keys', 'create', 'a']),
    await skein(['keys', 'create', 'nightly report']),
  ];
  expect(first.out).not.toBe(second.out);
  const [key = '', ...entry] = second.out.split('\n');
  expect(key).toMatch(/^skein_[\w-]{43}$/);
  const service = await testService({ config: configWith(entry.join('\n')) });
  const response = await service.fetch('/api/v1/auth/verify', { headers: { 'x-api-key': key } });
  expect(await response.json()).toMatchObject({ username: 'nightly report' });
  await service.close();
});

test.each([
  [['users'], ''],
  [['users', 'hash'], 'x'],
  [['users', 'hash', 'a:b'], 'x'],
  [['users', 'hash', 'a'], ''],
  [['users', 'hash', 'a'], '\n'],
  [['users', 'hash', 'a'], 'tab\tcanary'],
  [['users', 'hash', 'a', 'canary'], 'x'],
  [['keys'], ''],
  [['keys', 'create'], ''],
  [['keys', 'make', 'a'], ''],
] as [string[], string][])('%p with %p is rejected with exit code 2', async (args, input) => {
  const { out, errors, code } = await skein(args, input);
  expect({ out, code }).toEqual({ out: '', code: 2 });
  expect(errors).toContain('Validation error in field');
  expect(errors).not.toContain('canary');
});
