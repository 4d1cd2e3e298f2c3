/** A service that a command has opened in its process doesn't delay the end of the process, even with a long drain time. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../support/bare-environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-close-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ROOT = join(import.meta.dir, '..', '..');
const SCRIPT = `
import { openService } from '${ROOT}/cli/service/open-service.ts';
import { loadSettings } from '${ROOT}/settings/load.ts';
const service = await openService(loadSettings({ cwd: process.cwd(), env: {}, flags: {} }));
await service.start('http://localhost');
await service.close(3_600);
console.log('closed');
`;

test('nothing keeps the process alive', async () => {
  const child = Bun.spawn([process.execPath, '--no-env-file', '-e', SCRIPT], {
    cwd: folder,
    env: { ...BARE_ENVIRONMENT, HOME: folder },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  expect([await child.stdout.text(), await child.exited]).toEqual(['closed\n', 0]);
}, 120_000);
