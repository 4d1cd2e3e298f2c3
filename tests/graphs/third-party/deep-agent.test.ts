/** An agent of the package `deepagents`, which has its own copy of langsmith. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { recorded, type ServedGraph, servedGraph, toolsOf, work } from './served.ts';

let graph: ServedGraph;
beforeAll(async () => {
  graph = await servedGraph('deep-agent');
});
afterAll(() => graph.close());

const ROOT = realpathSync(join(import.meta.dir, '../../..'));
const versionOf = async (importer: string) => {
  const folder = join(ROOT, 'node_modules', importer);
  return (await Bun.file(Bun.resolveSync('langsmith/package.json', folder)).json()).version;
};

test("its langsmith is a different copy than LangChain's", async () => {
  const [own, langChains] = [await versionOf('deepagents'), await versionOf('@langchain/core')];
  expect(own).not.toBe(langChains);
});

test('it calls its sub-agent, writes a file, and asks a person before it publishes', async () => {
  const report = { file_path: '/report.md', content: 'All is right.' };
  graph.answers(
    { task: { description: 'Check it', subagent_type: 'checker' } },
    'It is right.',
    { write_file: report },
    { publish: { file: '/report.md' } },
  );
  const events = await graph.streamed({ user_prompt: 'Publish a report', thread_id: 'report' });
  expect(toolsOf(events)).toEqual([
    ['task', 'finished', 'It is right.'],
    ['write_file', 'finished', "Successfully wrote to '/report.md'"],
  ]);
  expect(work(events, 'finished')).toContain('tools/model_request 1');
  expect(events.flatMap(({ event, data }) => (event === 'token' ? [data] : []))).toEqual([
    { agent: 'model_request', path: ['tools'], text: 'It is right.' },
  ]);
  const response = events.find(({ event }) => event === 'response')?.data;
  expect(response).toMatchObject({
    event_type: 'interrupt',
    token_count: 120,
    values: { files: { '/report.md': { content: 'All is right.' } } },
    interrupts: [{ value: { actionRequests: [{ name: 'publish', args: { file: '/report.md' } }] } }],
  });
  const run = await graph.run(response.run_id);
  expect(run).toMatchObject({ status: 'interrupted', usage: { input_tokens: 80, output_tokens: 40 } });
  expect(recorded(run)).toContain('tools/model_request 1 finished 30');

  graph.answers('It is published.');
  const answered = await graph.resume('report', { value: { decisions: [{ type: 'approve' }] } });
  expect(answered).toMatchObject({ event_type: null, agent_response: 'It is published.', token_count: 150 });
  expect(graph.requests.at(-1)?.messages.at(-1)?.content).toBe('/report.md is published');
});

test('its files are available in the next turn', async () => {
  graph.answers({ read_file: { file_path: '/report.md' } }, 'It says that all is right.');
  const { agent_response } = await graph.turn({ user_prompt: 'What does it say?', thread_id: 'report' });
  expect(agent_response).toBe('It says that all is right.');
  expect(JSON.stringify(graph.requests.at(-1)?.messages.at(-1))).toContain('All is right.');
});

test('items in the store are available on another thread', async () => {
  graph.answers({ write_file: { file_path: '/memories/ann.md', content: 'Ann likes red.' } }, 'Noted.');
  await graph.turn({ user_prompt: 'Ann likes red', thread_id: 'one' });
  graph.answers({ read_file: { file_path: '/memories/ann.md' } }, 'Red.');
  const { agent_response } = await graph.turn({ user_prompt: 'What does Ann like?', thread_id: 'two' });
  expect(agent_response).toBe('Red.');
  expect(JSON.stringify(graph.requests.at(-1)?.messages.at(-1))).toContain('Ann likes red.');
});
