/** Requests that Schemathesis generates from the OpenAPI document: every response is documented, and none is a server error. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { pythonWith, run } from './support/python.ts';

/** How long to search with random requests. Without it, each border of the schemas is tried, with the same requests each time. */
const SECONDS = process.env.SKEIN_TEST_SECONDS;
const SEED = SECONDS === undefined ? 558_303 : (process.env.SKEIN_TEST_SEED ?? Date.now() % 1_000_000);
const RULES = join(import.meta.dir, '..', 'schemathesis.toml');

const folder = mkdtempSync(join(tmpdir(), 'skein-requests-'));
let python: string | undefined;
let service: ServiceProcess | undefined;
beforeAll(async () => {
  python = await pythonWith(['schemathesis==4.32.5']);
  if (python === undefined) return;
  service = await spawnService(folder, { SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true' });
  // The first request bundles it, which may take longer than a request may.
  await fetch(`${service.url}/studio`);
}, 600_000);
afterAll(async () => {
  service?.kill('SIGKILL');
  await service?.exited;
  rmSync(folder, { recursive: true, force: true });
});

test(
  `answers are as the OpenAPI document says (SKEIN_TEST_SEED=${SEED})`,
  async () => {
    if (python === undefined || service === undefined) return;
    // One worker: with more, Python's parser fails occasionally.
    const options = [
      ...['--checks', 'all', '--workers', '1', '--seed', String(SEED)],
      ...(SECONDS === undefined ? ['--phases', 'examples,coverage'] : ['--max-time', SECONDS]),
    ];
    const { code, text } = await run(
      [
        ...[python, '-m', 'schemathesis.cli', '--config-file', RULES],
        ...['run', `${service.url}/openapi.json`, '--no-color', ...options],
      ],
      folder,
    );
    expect({ code, text: code === 0 ? '' : text }).toEqual({ code: 0, text: '' });
  },
  1_000 * Number(SECONDS ?? 600) + 300_000,
);
