/** The official client for Python, of the revision of 2026 and of those of 2025, over HTTP and over standard streams. */
import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { pythonWith, run } from '../support/python.ts';
import { runningProvider, runningService } from '../support/running.ts';

const ASKING = `const State = Annotation.Root({ topic: Annotation(), reply: Annotation() });
export default new StateGraph(State)
  .addNode('ask', async ({ topic }) => ({ reply: interrupt({ question: topic }) }))
  .addEdge(START, 'ask')
  .compile();`;

const provider = runningProvider();
const service = runningService(provider, '', { asking: ASKING });

const MAIN = join(import.meta.dir, '../../../cli/main.ts');

let python: string | undefined;
beforeAll(async () => {
  python = await pythonWith(['mcp==2.3.0']);
}, 300_000);

async function runs(target: unknown, mode: string): Promise<void> {
  if (python === undefined) return;
  const script = join(import.meta.dir, 'python-client.py');
  const { code, text } = await run([python, script, JSON.stringify(target), mode]);
  // The command reports on standard error which service it uses.
  expect({ code, text: text.replaceAll(/^at http:.*\n/gm, '') }).toEqual({ code: 0, text: '' });
}

test.each(['auto', 'legacy'])('over HTTP: %s', (mode) => runs(`${service.url}/mcp`, mode), 120_000);

test.each(['auto', 'legacy'])(
  'over standard streams: %s',
  (mode) =>
    runs({ command: process.execPath, args: ['--no-env-file', MAIN, 'mcp', '--url', service.url] }, mode),
  120_000,
);
