/**
 * Runs the tests of LangGraph's own server (langchain-ai/langgraphjs, libs/langgraph-api/tests) against this service. They
 * are not part of this project: `bun tests/langgraph/suite.ts <folder>` takes the `libs/langgraph-api` of a checkout with its
 * packages installed. It copies the tests into a temporary folder there, removes the folder afterwards, and downloads nothing.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listening, spawnCommand } from '../support/process.ts';

const OTHER = 'http://localhost:2024';

const checkout = process.argv[2];
if (checkout === undefined || !existsSync(join(checkout, 'tests', 'api.test.mts'))) {
  console.error('usage: bun tests/langgraph/suite.ts <checkout>/libs/langgraph-api');
  process.exit(2);
}
// Beside their packages: the graphs and the tests import them.
const folder = mkdtempSync(join(resolve(checkout), '.skein-'));
const tests = join(folder, 'tests');
const graphs = join(tests, 'graphs');
try {
  cpSync(join(checkout, 'tests'), tests, { recursive: true });
  const args = ['serve', '--port', '0', '--host', '127.0.0.1'];
  const service = spawnCommand(args, graphs, { NODE_ENV: 'test' });
  try {
    const { url } = await listening(service);
    const file = join(tests, 'api.test.mts');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(OTHER, url));
    const suite = Bun.spawn(['npx', '--no-install', 'vitest', 'run', '--dir', tests, file], {
      ...{ cwd: folder, stdout: 'inherit', stderr: 'inherit' },
    });
    process.exitCode = await suite.exited;
  } finally {
    service.kill('SIGTERM');
    await service.exited;
  }
} finally {
  rmSync(folder, { recursive: true });
}
