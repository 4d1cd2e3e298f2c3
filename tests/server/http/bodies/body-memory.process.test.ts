/** The resident memory that one hostile body costs. */
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from '../../../support/process.ts';

setDefaultTimeout(60_000);

const MIB = 1_048_576;
let folder: string;
let service: ServiceProcess;

afterEach(async () => {
  service.kill('SIGKILL');
  await service.exited;
  rmSync(folder, { recursive: true });
});

// One character beyond Latin-1 doubles the memory of a string.
const LONG = `€${'x'.repeat(4 * MIB - 300)}`;
const GOOD = { user_prompt: 'hi', conversation_flow: 'classification-agent' };
const keys = Array.from({ length: 45_000 }, (_, n) => [`€${String(n).padStart(70, 'k')}`, '€'] as const);

test.each([
  ['a label that is too long', { ...GOOD, thread_id: LONG }],
  ['many keys, beside a bad field', { ...GOOD, user_prompt: '', extra: Object.fromEntries(keys) }],
])('%s costs less than 64 MiB', async (_, body) => {
  folder = mkdtempSync(join(tmpdir(), 'skein-body-'));
  service = await spawnService(folder);
  const chat = (request: object) =>
    fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
  const memory = async () => {
    const response = await fetch(`${service.url}/api/v1/diagnostic`);
    const { runtime } = (await response.json()) as { runtime: { memory_bytes: number } };
    return runtime.memory_bytes;
  };
  for (let round = 0; round < 8; round++) expect((await chat(GOOD)).status).toBe(200);
  const before = await memory();
  expect((await chat(body)).status).toBe(400);
  expect((await memory()) - before).toBeLessThan(64 * MIB);
});
