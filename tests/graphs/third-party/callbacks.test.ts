/** A graph's own callbacks get the same calls as under plain LangGraph. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { servedGraph, toolsOf } from './served.ts';

test.each(['recorded', 'recorded-agent'])('%s', async (name) => {
  const graph = await servedGraph(name);
  try {
    const file = join(graph.service.folder, 'graphs', name, 'graph.ts');
    const { default: exported, recorder } = await import(file);
    const takeEvents = () => recorder.events.splice(0);
    graph.answers({ add: { a: 1, b: 2 } }, 'It is 3.');
    const input = { messages: [{ role: 'user', content: 'Add 1 and 2' }] };
    await Array.fromAsync(await exported.stream(input, { streamMode: ['values', 'messages'] }));
    const plain = takeEvents();
    expect(plain).toContain('model ? starts own-tag');
    expect(plain).toContain('tool add starts own-tag');

    graph.answers({ add: { a: 1, b: 2 } }, 'It is 3.');
    const events = await graph.streamed({ user_prompt: 'Add 1 and 2' });
    expect(events.find(({ event }) => event === 'response')?.data.agent_response).toBe('It is 3.');
    expect(toolsOf(events)).toEqual([['add', 'finished', '3']]);
    expect(takeEvents()).toEqual(plain);
  } finally {
    await graph.close();
  }
});
