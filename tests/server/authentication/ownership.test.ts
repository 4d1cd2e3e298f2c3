/** Callers are isolated, even with equal ids: the data of others is reported as not found. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Answer } from '../../support/service.ts';
import { command, listen, root } from '../langgraph/v2/thread-events.ts';
import {
  ANN,
  BOB,
  bearer,
  KEY,
  OTHER_PASSWORD,
  PASSWORD,
  pairOf,
  protectedConfig,
  ROBOT,
} from '../support/credentials.ts';
import { answerOf } from '../support/refused.ts';
import { runningProvider, runningService } from '../support/running.ts';

// The first use of each password takes a hash, which is slow on a busy machine.
setDefaultTimeout(30_000);

const ASKING = `
export default workflow({
  description: 'Asks a person.',
  agents: () => [{ name: 'asker', description: 'Asks' }],
  example: 'Ask.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('asker', agent('asker', async () => ({ content: 'told ' + JSON.stringify(interrupt({ question: 'Who?' })) })))
      .addEdge(START, 'asker').addEdge('asker', END),
});`;

const provider = runningProvider();
const service = runningService(provider, protectedConfig(), { asking: ASKING });

type Headers = Record<string, string>;

function call(who: Headers, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { ...who, ...(body ? { 'content-type': 'application/json' } : {}) };
  return answerOf(service.fetch(`/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) }));
}

const chatAs = (who: Headers, prompt: string, more: object = {}, headers: Headers = {}) =>
  service.chat({ user_prompt: prompt, thread_id: 'shared', ...more }, { ...who, ...headers });

/** A response without the parts that differ between requests. */
function comparable({ status, body }: Answer) {
  const { timestamp, request_id, ...rest } = body;
  return { status, ...rest };
}

test('one thread id is a separate thread for each caller, without shared memory', async () => {
  for (const [name, who] of Object.entries({ ann: ANN, bob: BOB, robot: ROBOT })) {
    expect((await chatAs(who, `I am ${name}.`)).status).toBe(200);
    await chatAs(who, 'Who am I?');
    const { body } = await call(who, 'GET', '/threads/shared/messages');
    expect(body.messages.length).toBe(4);
    const text = JSON.stringify(body) + JSON.stringify(provider.requests);
    for (const other of ['ann', 'bob', 'robot'].filter((each) => each !== name))
      expect(text).not.toContain(`I am ${other}.`);
    expect(text).toContain(`I am ${name}.`);
    expect((await call(who, 'GET', '/threads')).body.threads.length).toBe(1);
    expect((await call(who, 'GET', '/runs')).body.runs.length).toBe(2);
    provider.requests.length = 0;
  }
});

test('Basic and Bearer are the same user, and a key in either header is the same key', async () => {
  const { access_token } = await pairOf(service, 'ann', PASSWORD);
  const other = await pairOf(service, 'bob', OTHER_PASSWORD);
  await chatAs(ANN, 'hello', { thread_id: 'same' });
  await chatAs(ROBOT, 'hello', { thread_id: 'robots' });
  expect((await call(bearer(access_token), 'GET', '/threads/same')).status).toBe(200);
  expect((await call(bearer(other.access_token), 'GET', '/threads/same')).status).toBe(404);
  expect((await call(bearer(KEY), 'GET', '/threads/robots')).status).toBe(200);
});

test('the data of another caller is not found by its id, with the response for an unknown id', async () => {
  const { body: turn } = await chatAs(ANN, 'mine', { thread_id: 'anns' });
  const run = (await call(ANN, 'GET', '/threads/anns/runs')).body.runs[0].run_id;
  const checkpoint = (await call(ANN, 'GET', '/threads/anns/checkpoints')).body.checkpoints[0].checkpoint_id;
  for (const who of [BOB, ROBOT]) await chatAs(who, 'mine', { thread_id: 'own' });
  const interrupted = await chatAs(ANN, 'ask', { thread_id: 'waiting', conversation_flow: 'asking' });
  expect(interrupted.body.interrupt ?? interrupted.body.status).toBeDefined();
  const ways = [
    ['GET', '/threads/{anns}'],
    ['PATCH', '/threads/{anns}', { title: 'taken' }],
    ['DELETE', '/threads/{anns}'],
    ['GET', '/threads/{anns}/messages'],
    ['GET', '/threads/{anns}/checkpoints'],
    ['GET', `/threads/{anns}/checkpoints/${checkpoint}`],
    ['GET', `/threads/own/checkpoints/{${checkpoint}}`],
    ['POST', '/threads/own/fork', { checkpoint_id: checkpoint }],
    ['GET', '/threads/{anns}/runs'],
    ['POST', '/threads/{anns}/fork', {}],
    ['POST', '/threads/{waiting}/resume', { value: 'taken' }],
    ['GET', `/runs/{${run}}`],
    ['POST', `/runs/{${run}}/cancel`],
    ['GET', `/runs/{${run}}/stream`],
    ['GET', `/runs/{${run}}/calls`],
    ['POST', `/runs/{${run}}/calls/replay`, { messages: [{ role: 'user', content: 'x' }] }],
    ['GET', `/runs/{${run}}/rows`],
    ['GET', `/runs/{${run}}/trace`],
    ['PUT', `/messages/{${turn.message_id}}/feedback`, { rating: 1 }],
    ['GET', `/messages/{${turn.message_id}}/feedback`],
    ['PUT', `/reviews/{${turn.message_id}}`, { reviewed: true }],
  ] as [string, string, object?][];
  await expectAllOwned('/api/v1', ways);
  for (const who of [BOB, ROBOT] as Headers[]) {
    for (const [method, path, body] of ways) {
      const othersResponse = await call(who, method, path.replace(/[{}]/g, ''), body);
      const unknownBody = body && JSON.parse(JSON.stringify(body).replace(checkpoint, 'unknown'));
      const unknown = await call(who, method, path.replace(/\{[^}]+\}/, 'unknown'), unknownBody);
      expect([method, path, othersResponse.status]).toEqual([method, path, 404]);
      expect(comparable(othersResponse)).toEqual(comparable(unknown));
    }
  }
  // The requests had no effect.
  const { body: thread } = await call(ANN, 'GET', '/threads/anns');
  expect(thread.title).toBe('mine');
  expect(
    (await call(ANN, 'POST', '/threads/waiting/resume', { value: 'ann' })).body.agent_response,
  ).toContain('told');
});

const RUN = { assistant_id: 'classification-agent', input: { messages: 'hi' } };
const CRON = { ...RUN, schedule: '0 0 1 1 *' };

/** Every documented route with an id of a thread, a run, a message or a cron must have a test case. */
async function expectAllOwned(prefix: string, ways: [string, string, object?][]): Promise<void> {
  const { paths } = (await (await service.fetch('/openapi.json')).json()) as {
    paths: Record<string, object>;
  };
  const isIn = (path: string) => path.startsWith('/api/') === (prefix !== '');
  const owned = Object.entries(paths).filter(
    ([path]) => isIn(path) && /\{(thread|run|message|cron)_id\}/.test(path),
  );
  for (const [path, operations] of owned) {
    const pattern = new RegExp(`^${path.replace(prefix, '').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
    for (const method of Object.keys(operations))
      expect({
        method,
        path,
        tried: ways.some(([by, way]) => by.toLowerCase() === method && pattern.test(way)),
      }).toEqual({ method, path, tried: true });
  }
}

test("over LangGraph's protocol, another caller's thread is an unknown thread, too", async () => {
  const { body: turn } = await chatAs(ANN, 'mine', { thread_id: 'anns-graph' });
  const ways = [
    ['GET', '/threads/{id}'],
    ['PATCH', '/threads/{id}', { metadata: { taken: true } }],
    ['DELETE', '/threads/{id}'],
    ['POST', '/threads/{id}/copy'],
    ['GET', '/threads/{id}/state'],
    ['GET', '/threads/{id}/state/{checkpoint}'],
    ['POST', '/threads/{id}/state', { values: {} }],
    ['PATCH', '/threads/{id}/state', { metadata: { taken: true } }],
    ['POST', '/threads/{id}/state/checkpoint', {}],
    ['GET', '/threads/{id}/history'],
    ['POST', '/threads/{id}/history', {}],
    ['GET', '/threads/{id}/stream'],
    ['GET', '/threads/{id}/runs'],
    ['POST', '/threads/{id}/runs', RUN],
    ['POST', '/threads/{id}/runs/stream', RUN],
    ['POST', '/threads/{id}/runs/wait', RUN],
    ['GET', '/threads/{id}/runs/{run}'],
    ['DELETE', '/threads/{id}/runs/{run}'],
    ['GET', '/threads/{id}/runs/{run}/join'],
    ['GET', '/threads/{id}/runs/{run}/stream'],
    ['POST', '/threads/{id}/runs/{run}/cancel'],
    ['POST', '/runs/cancel', { thread_id: 'anns-graph' }],
    ['POST', '/threads/{id}/runs/crons', CRON],
  ] as [string, string, object?][];
  const cronWays = [
    ['PATCH', '/runs/crons/{cron}', { enabled: false }],
    ['DELETE', '/runs/crons/{cron}'],
  ] as [string, string, object?][];
  // The routes of event streaming have their own test, because they also accept threads that don't exist yet.
  const streaming = ['POST /threads/{id}/commands', 'POST /threads/{id}/stream/events'].concat(
    'GET /threads/{id}/stream/events',
  );
  await expectAllOwned('', [
    ...ways,
    ...cronWays,
    ['GET', '/runs/{run}/stream'],
    ...streaming.map((way) => way.split(' ') as [string, string]),
  ]);
  const cron = (await (await posted(ANN, '/runs/crons', CRON)).json()) as { cron_id: string };
  for (const who of [BOB, ROBOT] as Headers[]) {
    for (const [method, path, body] of ways) {
      const headers = { ...who, ...(body ? { 'content-type': 'application/json' } : {}) };
      const response = await service.fetch(
        path.replace('{id}', 'anns-graph').replace('{checkpoint}', 'x').replace('{run}', turn.run_id),
        {
          ...{ method, headers, body: body && JSON.stringify(body) },
        },
      );
      expect([method, path, response.status, await response.text()]).toEqual([
        ...[method, path, 404, 'Thread with ID anns-graph not found'],
      ]);
    }
    const theirs = await service.fetch(`/runs/${turn.run_id}/stream`, { headers: who });
    expect([theirs.status, await theirs.text()]).toEqual([404, 'Run not found']);
    for (const [method, path, body] of cronWays)
      for (const id of [cron.cron_id, 'unknown']) {
        const response = await service.fetch(path.replace('{cron}', id), {
          ...{ method, headers: { ...who, 'content-type': 'application/json' } },
          body: body && JSON.stringify(body),
        });
        expect([method, id, response.status, await response.text()]).toEqual([
          method,
          id,
          404,
          'Cron not found',
        ]);
      }
    const found = await posted(who, '/threads/search', { ids: ['anns-graph'] });
    expect(await found.json()).toEqual([]);
    expect(await (await posted(who, '/runs/crons/search', {})).json()).toEqual([]);
    expect(await (await posted(who, '/runs/crons/count', {})).json()).toBe(0);
    for (const strategy of ['delete', 'keep_latest']) {
      const pruned = await service.fetch('/threads/prune', {
        ...{ method: 'POST', headers: { ...who, 'content-type': 'application/json' } },
        body: JSON.stringify({ thread_ids: ['anns-graph'], strategy }),
      });
      expect(await pruned.json()).toEqual({ pruned_count: 0 });
    }
  }
  expect((await call(ANN, 'GET', '/threads/anns-graph')).status).toBe(200);
  const remaining = await posted(ANN, '/runs/crons/search', {});
  expect(await remaining.json()).toMatchObject([
    { cron_id: cron.cron_id, enabled: true, user_id: 'user:ann' },
  ]);
});

function posted(who: Headers, path: string, body: object): Promise<Response> {
  const headers = { ...who, 'content-type': 'application/json' };
  return service.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

test("event streaming neither shows nor changes another caller's thread", async () => {
  const interrupted = await chatAs(ANN, 'ask', { thread_id: 'streamed', conversation_flow: 'asking' });
  const own = await listen(service, 'streamed', undefined, ANN);
  await own.until(({ method }) => method === 'input.requested');
  const othersEvents = await Promise.all(
    [BOB, ROBOT].map((who) => listen(service, 'streamed', undefined, who)),
  );
  const interrupt_id = interrupted.body.interrupts[0].interrupt_id;
  for (const who of [BOB, ROBOT] as Headers[]) {
    for (const [method, params] of [
      ['state.get', {}],
      ['state.listCheckpoints', {}],
      ['agent.getTree', {}],
      ['state.fork', { checkpoint_id: 'x' }],
      ['input.respond', { interrupt_id, response: 'taken' }],
    ] as const)
      expect(await command(service, 'streamed', method, params, who)).toMatchObject({ error: 'no_such_run' });
    const run = { assistant_id: 'asking', input: { messages: ['mine'] } };
    expect(await command(service, 'streamed', 'run.start', run, who)).toMatchObject({ type: 'success' });
  }
  for (const other of othersEvents) {
    const { params } = await other.until(({ method }) => method === 'input.requested');
    expect(params.data.payload).toEqual({ question: 'Who?' });
    expect(other.events.filter(root('running')).length).toBe(1);
    other.close();
  }
  expect(own.events.filter(root('running')).length).toBe(1);
  own.close();
  const mine = { interrupt_id, response: 'ann' };
  expect(await command(service, 'streamed', 'input.respond', mine, ANN)).toMatchObject({ type: 'success' });
});

test('a WebSocket requires credentials', async () => {
  const url = `${service.url.replace('http', 'ws')}/threads/streamed/stream/events`;
  const opens = (headers: Headers) => {
    const opened = Promise.withResolvers<boolean>();
    const socket = new WebSocket(url, { headers } as never);
    socket.onopen = () => opened.resolve(true);
    socket.onerror = () => opened.resolve(false);
    return opened.promise.finally(() => socket.close());
  };
  expect(await opens({})).toBe(false);
  expect(await opens({ 'x-api-key': 'wrong' })).toBe(false);
  expect(await opens(ROBOT)).toBe(true);
});

test('an idempotency key belongs to its caller', async () => {
  const key = { 'idempotency-key': 'the-same' };
  const [first, other] = [await chatAs(ANN, 'once', {}, key), await chatAs(BOB, 'once', {}, key)];
  expect(other.headers.get('idempotency-replayed')).toBeNull();
  expect(other.body.message_id).not.toBe(first.body.message_id);
  const again = await chatAs(ANN, 'once', {}, key);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.body.message_id).toBe(first.body.message_id);
});

test("deleting a thread only affects the caller's own thread", async () => {
  await chatAs(ANN, 'to stay', { thread_id: 'both' });
  await chatAs(BOB, 'to go', { thread_id: 'both' });
  const { status } = await service.fetch('/api/v1/threads/both', { method: 'DELETE', headers: BOB });
  expect(status).toBeWithin(200, 205);
  expect((await call(ANN, 'GET', '/threads/both')).status).toBe(200);
  expect((await call(BOB, 'GET', '/threads/both')).status).toBe(404);
});
