/** A node that blocks the event loop is named in the log; one that waits is not. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listening, spawnCommand } from '../../../support/process.ts';
import { WITHOUT_SAMPLES, writeGraphs } from '../../../support/service.ts';

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000);

const GRAPH = `
const State = Annotation.Root({ how: Annotation() });
const inner = new StateGraph(State)
  .addNode('digs', async ({ how }) => {
    await Bun.sleep(10);
    if (how === 'blocks') Bun.sleepSync(1_500);
    if (how === 'blocks and goes on') { Bun.sleepSync(1_500); await Bun.sleep(300); }
    if (how === 'waits') await Bun.sleep(1_500);
    return { how };
  })
  .addEdge(START, 'digs').compile();
export default new StateGraph(State).addNode('garden', inner).addEdge(START, 'garden').compile();`;

test('a node that blocks the event loop for more than a second is named, with its run and its workflow', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-loop-'));
  await writeGraphs(folder, { gardener: GRAPH });
  const env = { ...WITHOUT_SAMPLES, SERVICE_TELEMETRY__LOG_FORMAT: 'json' };
  const args = ['serve', '--port', '0', '--host', '127.0.0.1', '--log-level', 'warn'];
  const service = await listening(spawnCommand(args, folder, env));
  const run = async (how: string) => {
    const response = await fetch(`${service.url}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: 'gardener', input: { how } }),
    });
    expect(await response.json()).toEqual({ how });
    return response.headers.get('content-location')?.split('/').at(-1);
  };
  const runs = [];
  for (const how of ['waits', 'blocks', 'blocks and goes on']) runs.push(await run(how));
  service.kill('SIGTERM');
  await service.exited;
  await service.errors;
  const lines = service
    .output()
    .split('\n')
    .filter((line) => line.includes('event loop'))
    .map((line) => JSON.parse(line.slice(line.indexOf('{'))))
    // A busy machine also delays the whole process.
    .filter(({ milliseconds }) => milliseconds > 1_400);
  expect(lines).toMatchObject(
    runs.slice(1).map((run_id) => ({
      workflow: 'gardener',
      node: 'digs',
      run_id,
      msg: 'a node has blocked the event loop',
    })),
  );
  for (const { milliseconds } of lines) expect(milliseconds).toBeLessThan(10_000);
  rmSync(folder, { recursive: true });
});
