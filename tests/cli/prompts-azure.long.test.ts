/** `skein prompts` on files in Azure Blob storage, as a process. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAzurite } from '../support/azurite.ts';
import { spawnCommand } from '../support/process.ts';

const azurite = await startAzurite();
const folder = mkdtempSync(join(tmpdir(), 'skein-prompts-azure-'));
afterAll(async () => {
  await azurite?.kill();
  rmSync(folder, { recursive: true });
});

const FILE = 'classification-agent.responder.jinja';

async function prompts(args: string[], env: Record<string, string> = {}) {
  const settings = {
    SERVICE_PROMPTS__STORAGE: 'azure',
    SERVICE_PROMPTS__AZURE__CONTAINER: 'cli',
    ...env,
  };
  const child = spawnCommand(['prompts', ...args], folder, settings);
  await Promise.all([child.errors, Array.fromAsync(child.lines)]);
  return { code: await child.exited, output: child.output() };
}

describe.skipIf(!azurite)('on a server', () => {
  const at = { SERVICE_PROMPTS__AZURE__CONNECTION_STRING: azurite?.connectionString ?? '' };

  test('files are edited, shown, compared, restored and listed', async () => {
    for (const text of ['one', 'two']) {
      const EDITOR = `printf '${text}\\n' >`;
      const edited = await prompts(['edit', `v1/${FILE}`], { ...at, EDITOR });
      expect(edited).toEqual({ code: 0, output: expect.stringContaining('is now version') });
    }
    expect((await prompts(['show', 'v1', FILE], at)).output).toBe('two\n');
    expect((await prompts(['diff', 'v1', FILE, '1'], at)).output).toBe('-one\n+two\n \n');
    expect((await prompts(['restore', 'v1', FILE, '1'], at)).output).toContain('is now version 3');
    expect((await prompts(['history', 'v1', FILE], at)).output.match(/cli:/g)).toHaveLength(3);
    expect((await prompts(['list'], at)).output).toMatch(/^default .* shipped\nv1 {2}1 files {2}azure\n$/);
  }, 120_000);

  test('an unreachable server is an error with its reason', async () => {
    const unreachable = azurite?.connectionString.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1') ?? '';
    const { code, output } = await prompts(['list'], {
      SERVICE_PROMPTS__AZURE__CONNECTION_STRING: unreachable,
    });
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/^The prompt storage failed: the prompt storage: \w+\n$/),
    });
  }, 120_000);
});
