/** Functions that create a graph and never return: they fail with a timeout, and the others run. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type TestService, testService } from '../../support/service.ts';

const MAKING = `
const graph = new StateGraph(Annotation.Root({ text: Annotation() }))
  .addNode('echo', ({ text }) => ({ text }))
  .addEdge(START, 'echo').compile();`;

const GRAPHS = {
  'never-returns': 'export default () => new Promise(() => {});',
  'may-return': `${MAKING}
export default ({ configurable }) => (configurable.waits ? new Promise(() => {}) : graph);`,
};

// Discovery and a run each wait the whole time.
const WAIT_MS = 30_000;

let service: TestService;
beforeAll(async () => {
  service = await testService({ graphs: GRAPHS });
}, WAIT_MS);
afterAll(() => service.close());

const ask = (more: object) =>
  service.chat({ conversation_flow: 'may-return', user_prompt: 'hello', thread_id: 'waits', ...more });
const waiting = { configurable: { waits: true } };
const message = 'The function that makes the graph did not return in time';

test('a workflow whose function never returns is reported as broken, with the reason', () => {
  expect(service.service.warnings.filter((one) => one.includes('never-returns'))).toEqual([
    expect.stringContaining(
      'graphs/never-returns/graph.ts: the function that makes the graph did not return within 10 s',
    ),
  ]);
});

test(
  'a run whose graph is never created ends, and the next turn of its thread starts',
  async () => {
    expect(await ask(waiting)).toMatchObject({
      status: 500,
      body: { error_code: 'RUN_TIMEOUT', message, detail: 'It may take 10 s' },
    });
    expect(await ask({})).toMatchObject({ status: 200, body: { agent_response: '{"text":"hello"}' } });
  },
  WAIT_MS,
);

test('an earlier deadline names what it waited for', async () => {
  expect(await ask({ ...waiting, deadline_seconds: 1 })).toMatchObject({
    status: 500,
    body: { error_code: 'RUN_TIMEOUT', message, detail: 'The deadline was 1 s' },
  });
});
