/** Uncaught errors in a graph's code must not end the service. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnService } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-stray-'));
symlinkSync(join(import.meta.dir, '../../node_modules'), join(folder, 'node_modules'));
afterAll(() => rmSync(folder, { recursive: true }));

await Bun.write(join(folder, 'config.yml'), '');
await Bun.write(
  join(folder, 'graphs/stray/graph.ts'),
  `import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
Promise.reject(new Error('while it is loaded'));
export default new StateGraph(MessagesAnnotation)
  .addNode('stray', () => {
    Promise.reject(new Error('not awaited'));
    setTimeout(() => { throw new Error('later'); });
    return { messages: [{ role: 'assistant', content: 'Done.' }] };
  })
  .addEdge(START, 'stray')
  .compile();`,
);

test('an unhandled rejection and an error in a timer end neither the turn nor the service', async () => {
  const service = await spawnService(folder);
  for (let turn = 0; turn < 2; turn++) {
    const response = await fetch(`${service.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ conversation_flow: 'stray', user_prompt: 'Go' }),
    });
    expect([response.status, await response.json()]).toMatchObject([200, { agent_response: 'Done.' }]);
  }
  service.kill('SIGKILL');
  await service.exited;
});
