/** Runs over LangGraph's protocol count as chats, however they are started. */
import { expect, test } from 'bun:test';
import { GRAPHS } from '../openai/graphs.ts';
import { bearer, protectedConfig } from '../support/credentials.ts';
import { runningProvider, runningService } from '../support/running.ts';
import { until } from '../support/until.ts';

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
const keys = ['batch', 'commands', 'socket', 'reads'].map(
  (name) => `{name: ${name}, sha256: ${sha256(`${name}-key`)}}`,
);
const config = protectedConfig().replace('api_keys: [', `api_keys: [${keys.join(', ')}, `);
const service = runningService(
  runningProvider(),
  `${config}  rate_limit: {requests_per_minute: 2}\n`,
  GRAPHS,
);

const RUN = { assistant_id: 'echo', input: { messages: [{ role: 'user', content: 'hi' }] } };

function post(path: string, key: string, body: unknown): Promise<Response> {
  return service.fetch(path, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...bearer(`${key}-key`) },
  });
}

const start = (id: number) => ({ id, method: 'run.start', params: RUN });

test('each run of a batch counts, and none starts if the batch exceeds the limit', async () => {
  expect((await post('/runs/batch', 'batch', [RUN, RUN, RUN])).status).toBe(429);
  const { runs } = (await (await service.fetch('/api/v1/runs', { headers: bearer('batch-key') })).json()) as {
    runs: object[];
  };
  expect(runs).toHaveLength(0);
});

test('commands that start runs count, and others do not', async () => {
  const statuses: number[] = [];
  for (let id = 0; id < 3; id++)
    statuses.push((await post(`/threads/t${id}/commands`, 'commands', start(id))).status);
  expect(statuses).toEqual([200, 200, 429]);
  const read = { id: 9, method: 'state.get', params: {} };
  expect((await post('/threads/t0/commands', 'commands', read)).status).toBe(200);
});

test('a command over a WebSocket that exceeds the limit is rejected', async () => {
  const url = `${service.url.replace('http', 'ws')}/threads/socket/stream/events`;
  const socket = new WebSocket(url, { headers: bearer('socket-key') } as never);
  const answers: { type: string; id: number; message?: string }[] = [];
  socket.onmessage = ({ data }) => answers.push(JSON.parse(data as string));
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  for (let id = 0; id < 3; id++) socket.send(JSON.stringify(start(id)));
  await until(() => answers.filter(({ id }) => id !== undefined).length === 3);
  socket.close();
  expect(answers.map(({ type }) => type)).toEqual(['success', 'success', 'error']);
  expect(answers.at(-1)?.message).toContain('Too many requests');
});

test('reading threads and runs does not count', async () => {
  for (let turn = 0; turn < 4; turn++) {
    const response = await service.fetch('/threads/none/runs', { headers: bearer('reads-key') });
    expect(response.status).toBe(404);
  }
});
