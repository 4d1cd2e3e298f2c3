/** `skein validate` on prompt files in Azure Blob storage: existing files, missing ones, and no changes. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check } from '../../cli/service/checks/check.ts';
import { startAzurite } from '../support/azurite.ts';
import { runCommand } from '../support/run-command.ts';

setDefaultTimeout(120_000);

const azurite = await startAzurite();
const folder = mkdtempSync(join(tmpdir(), 'skein-validate-azure-'));
afterAll(async () => {
  await azurite?.kill();
  rmSync(folder, { recursive: true });
});

describe.skipIf(!azurite)('on a server', () => {
  async function promptsRow(): Promise<Check[]> {
    const { out } = await runCommand(['validate', '--json'], folder, {
      WEB_PORT: '0',
      SERVICE_PROMPTS__STORAGE: 'azure',
      SERVICE_PROMPTS__AZURE__CONTAINER: 'checked',
      SERVICE_PROMPTS__AZURE__CONNECTION_STRING: azurite?.connectionString ?? '',
    });
    const { checks } = JSON.parse(out) as { checks: Check[] };
    return checks.filter(({ name }) => name === 'prompts');
  }

  test('a missing container is not created, an existing one is read, and an unreachable server fails', async () => {
    const container = azurite?.service.getContainerClient('checked');
    expect(await promptsRow()).toMatchObject([
      { state: 'ok', found: "Azure Blob container 'checked': created at the first start" },
    ]);
    expect(await container?.exists()).toBe(false);
    await container?.create();
    await container?.uploadBlockBlob('v7/classification-agent.responder.jinja', 'Hi', 2);
    expect(await promptsRow()).toMatchObject([{ state: 'ok', found: expect.stringContaining('default') }]);
    await azurite?.kill();
    expect(await promptsRow()).toMatchObject([
      { state: 'failed', found: expect.stringContaining('does not answer') },
    ]);
  });
});
