/** Several servers on one PostgreSQL: a run that one of them accepted can be followed, stopped and continued at any other. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../server/support/until.ts';
import { listen } from '../support/listener.ts';
import { POSTGRES } from '../support/postgres-database.ts';
import { ASYNC, type Cluster, type Member, openCluster, STREAM } from './cluster.ts';
import { agentsOf, askedQuestions, heldQuestions } from './held-questions.ts';
import { CHAIN, writeWorkflows } from './killed-workflows.ts';

// A server on a busy machine may be a second late.
const LEASE_SECONDS = 3;
const LONG = 60_000;

const held = heldQuestions();
let cluster: Cluster;
let a: Member;
let b: Member;

const chat = (
  at: Member,
  thread_id: string,
  user_prompt: string,
  more: object = {},
  headers: Record<string, string> = {},
) => at.post('/chat', { user_prompt, thread_id, conversation_flow: 'chain', ...more }, headers);

/** Starts a turn that continues without its client. */
async function background(at: Member, thread: string, question: string, more: object = {}): Promise<string> {
  const response = await chat(at, thread, question, more, ASYNC);
  expect(response.status).toBe(202);
  return ((await response.json()) as { run_id: string }).run_id;
}

const statusOf = async (at: Member, runId: string): Promise<string> =>
  (await at.get(`/runs/${runId}`)).status;
const ended = (at: Member, runId: string, status = 'succeeded') =>
  until(async () => (await statusOf(at, runId)) === status, 20_000);
const isAsked = (agent: string, question: string) =>
  until(() => agentsOf(cluster.provider, question).includes(agent), 20_000);

async function contentsOf(at: Member, thread: string): Promise<string[]> {
  const { messages } = await at.get(`/threads/${thread}/messages?limit=100`);
  return messages
    .filter(({ role }: { role: string }) => role === 'user')
    .map(({ content }: { content: string }) => content);
}

describe.skipIf(POSTGRES === undefined)('several servers on one PostgreSQL', () => {
  beforeAll(async () => {
    cluster = await openCluster({ script: held.script, leaseSeconds: LEASE_SECONDS, write: writeWorkflows });
    [a, b] = await Promise.all([cluster.start(), cluster.start()]);
  }, LONG);
  afterAll(() => cluster?.close());

  test(
    'turns of a thread that are posted to different servers run in the order of acceptance',
    async () => {
      const questions = Array.from({ length: 8 }, (_, index) => `q-order-${index}`);
      const free = held.hold('one', 'q-order-0');
      const ids: string[] = [];
      for (const [index, question] of questions.entries())
        ids.push(await background(index % 2 === 0 ? a : b, 'order', question));
      await isAsked('one', 'q-order-0');
      free();
      for (const id of ids) await ended(a, id);
      const calls = askedQuestions(cluster.provider).filter(({ question }) => question.startsWith('q-order'));
      expect(calls.map(({ agent, question }) => `${agent} ${question}`)).toEqual(
        questions.flatMap((question) => CHAIN.map((agent) => `${agent} ${question}`)),
      );
      for (const { question, before } of calls)
        expect(before).toEqual(questions.slice(0, questions.indexOf(question)));
      expect(await contentsOf(b, 'order')).toEqual(questions);
    },
    LONG,
  );

  test(
    'concurrent turns on one thread, at all servers, are each answered once and each see the earlier ones',
    async () => {
      const questions = Array.from({ length: 20 }, (_, index) => `q-many-${index}`);
      const answers = await Promise.all(
        questions.map((question, index) => chat(index % 2 === 0 ? a : b, 'many', question)),
      );
      expect(answers.map(({ status }) => status)).toEqual(questions.map(() => 200));
      const order = await contentsOf(a, 'many');
      expect(order.toSorted()).toEqual(questions.toSorted());
      for (const question of questions) expect(agentsOf(cluster.provider, question)).toEqual(CHAIN);
      const lasts = askedQuestions(cluster.provider).filter(
        ({ agent, question }) => agent === 'four' && question.startsWith('q-many'),
      );
      for (const { question, before } of lasts)
        expect(before).toEqual(
          order.slice(Math.max(0, order.indexOf(question) - before.length), order.indexOf(question)),
        );
      expect(lasts.map(({ question }) => question)).toEqual(order);
    },
    LONG,
  );

  test(
    'a run can be cancelled at another server, and its thread continues',
    async () => {
      const free = held.hold('two', 'q-cancel');
      const runId = await background(a, 'cancel', 'q-cancel');
      const waits = await background(a, 'cancel', 'q-cancel-queued');
      await isAsked('two', 'q-cancel');
      expect(await (await b.post(`/runs/${waits}/cancel`, {})).json()).toMatchObject({ status: 'cancelled' });
      const began = performance.now();
      expect(await (await b.post(`/runs/${runId}/cancel`, {})).json()).toMatchObject({ status: 'cancelled' });
      expect(performance.now() - began).toBeLessThan(5_000);
      free();
      const after = await chat(b, 'cancel', 'q-after-cancel');
      expect(after.status).toBe(200);
      expect(agentsOf(cluster.provider, 'q-cancel-queued')).toEqual([]);
      expect(askedQuestions(cluster.provider).at(-1)).toMatchObject({
        question: 'q-after-cancel',
        before: [],
      });
    },
    LONG,
  );

  test(
    'a question to a person can be answered at another server',
    async () => {
      const first = await chat(a, 'asks', 'q-asks', { conversation_flow: 'asking' });
      expect(await first.json()).toMatchObject({
        event_type: 'interrupt',
        interrupt: { value: 'the first question' },
      });
      const second = await b.post('/threads/asks/resume', { value: 'A1' });
      expect(await second.json()).toMatchObject({ interrupt: { value: 'the second question' } });
      const last = await a.post('/threads/asks/resume', { value: 'A2' });
      expect(await last.json()).toMatchObject({
        outputs: [{ agent: 'asker', content: 'first A1, second A2' }, {}],
      });
    },
    LONG,
  );

  test(
    'of two answers to one question at two servers, one is accepted',
    async () => {
      const first = await chat(a, 'twice', 'q-twice', { conversation_flow: 'asking' });
      const { interrupt } = (await first.json()) as { interrupt: { interrupt_id: string } };
      const answers = await Promise.all(
        [a, b].map((at) =>
          at.post('/threads/twice/resume', { values: { [interrupt.interrupt_id]: at.name } }),
        ),
      );
      const [refused, ...others] = answers.filter(({ status }) => status !== 200);
      expect(others).toEqual([]);
      if (!refused) throw new Error('Both answers were accepted');
      const { error_code } = (await refused.json()) as { error_code: string };
      // An answer that comes after the other one's run meets the second question.
      expect(['THREAD_BUSY', 'NOT_INTERRUPTED', 'INTERRUPT_NOT_FOUND']).toContain(error_code);
    },
    LONG,
  );

  test(
    'a run can be rejoined at another server from any number, with each event once',
    async () => {
      const free = held.hold('three', 'q-rejoin');
      const stream = listen(await chat(a, 'rejoin', 'q-rejoin', {}, STREAM));
      await isAsked('three', 'q-rejoin');
      const { runs } = await b.get('/threads/rejoin/runs');
      const runId = runs[0].run_id;
      const following = [0, 1, 4].map((after) => b.events(runId, after));
      free();
      const events = await stream;
      expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
      expect(events.slice(-2).map(({ event }) => event)).toEqual(['response', 'end']);
      const [all, afterOne, afterFour] = await Promise.all(following);
      expect(all).toEqual(events);
      expect(afterOne).toEqual(events.slice(1));
      expect(afterFour).toEqual(events.slice(4));
      expect(await b.events(runId, 2)).toEqual(events.slice(2));
    },
    LONG,
  );

  test(
    'the text of a model is streamed by another server while it is generated',
    async () => {
      const words = 9;
      const gates = Array.from({ length: words }, () => Promise.withResolvers<void>());
      const free = held.say(
        'four',
        'q-live',
        gates.map(({ promise }) => promise),
      );
      const runId = await background(a, 'live', 'q-live');
      let receivedCount = 0;
      const events = b.events(runId, 0, (all) => {
        const last = all.at(-1);
        if (last?.event === 'token' && last.data.agent === 'four') receivedCount++;
      });
      await isAsked('four', 'q-live');
      // Each word arrives before the model sends the next. bench/ measures how fast.
      for (const [index, gate] of gates.entries()) {
        gate.resolve();
        await until(() => receivedCount > index, 5_000);
      }
      free();
      await events;
      expect(receivedCount).toBe(words);
    },
    LONG,
  );

  test(
    'a thread can be forked and deleted at a server that did not run it',
    async () => {
      await chat(a, 'origin', 'q-origin');
      const { thread_id } = (await (await b.post('/threads/origin/fork', {})).json()) as {
        thread_id: string;
      };
      expect((await chat(a, thread_id, 'q-fork')).status).toBe(200);
      expect(askedQuestions(cluster.provider).at(-1)).toMatchObject({
        question: 'q-fork',
        before: ['q-origin'],
      });
      const free = held.hold('two', 'q-deleted');
      const runs = [await background(a, 'origin', 'q-deleted'), await background(b, 'origin', 'q-waits')];
      await isAsked('two', 'q-deleted');
      expect((await b.delete('/threads/origin')).status).toBe(204);
      free();
      for (const runId of runs)
        expect(await a.get(`/runs/${runId}`)).toMatchObject({ error_code: 'RUN_NOT_FOUND' });
      expect(agentsOf(cluster.provider, 'q-waits')).toEqual([]);
      expect(await contentsOf(a, thread_id)).toEqual(['q-origin', 'q-fork']);
    },
    LONG,
  );

  test(
    'a repeated request at another server gets the answer of the first',
    async () => {
      const free = held.hold('one', 'q-same');
      const key = { 'idempotency-key': 'same' };
      const first = chat(a, 'same', 'q-same', {}, key);
      await isAsked('one', 'q-same');
      const repeat = chat(b, 'same', 'q-same', {}, key);
      const other = await chat(b, 'same', 'q-other', {}, key);
      expect(await other.json()).toMatchObject({ error_code: 'IDEMPOTENCY_MISMATCH' });
      free();
      expect((await repeat).headers.get('idempotency-replayed')).toBe('true');
      const answer = await (await first).json();
      expect(answer).toMatchObject({ thread_id: 'same' });
      expect(await (await repeat).json()).toEqual(answer);
      expect(await (await chat(b, 'same', 'q-same', {}, key)).json()).toEqual(answer);
      expect(agentsOf(cluster.provider, 'q-same')).toEqual(CHAIN);
    },
    LONG,
  );

  test(
    'two concurrent requests with one key at two servers are one run',
    async () => {
      const keys = Array.from({ length: 10 }, (_, index) => `q-key-${index}`);
      const pairs = await Promise.all(
        keys.map((key) =>
          Promise.all([a, b].map((at) => chat(at, key, key, {}, { 'idempotency-key': key }))),
        ),
      );
      for (const [index, pair] of pairs.entries()) {
        const [one, other] = await Promise.all(pair.map((response) => response.json()));
        expect(other).toEqual(one);
        expect(agentsOf(cluster.provider, keys[index] ?? '')).toEqual(CHAIN);
      }
    },
    LONG,
  );

  test(
    'a turn can supersede or reject a run of another server',
    async () => {
      const free = held.hold('three', 'q-old');
      const old = await background(a, 'super', 'q-old');
      await isAsked('three', 'q-old');
      const refused = await chat(b, 'super', 'q-refused', { multitask_strategy: 'reject' });
      expect(await refused.json()).toMatchObject({ error_code: 'THREAD_BUSY' });
      expect((await chat(b, 'super', 'q-new', { multitask_strategy: 'supersede' })).status).toBe(200);
      free();
      expect(await statusOf(b, old)).toBe('cancelled');
      expect(askedQuestions(cluster.provider).at(-1)).toMatchObject({ question: 'q-new', before: [] });
    },
    LONG,
  );
});

describe.skipIf(POSTGRES === undefined)('servers that start and stop', () => {
  beforeAll(async () => {
    cluster = await openCluster({ script: held.script, leaseSeconds: LEASE_SECONDS, write: writeWorkflows });
  }, LONG);
  afterAll(() => cluster?.close());

  test(
    'a front accepts and streams runs of a worker',
    async () => {
      const [front, worker] = await Promise.all([
        cluster.start({ SERVICE_CLUSTER__ROLE: 'front' }),
        cluster.start({ SERVICE_CLUSTER__ROLE: 'worker' }),
      ]);
      const events = await listen(await chat(front, 'front', 'q-front', {}, STREAM));
      expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
      expect(events.slice(-2).map(({ event }) => event)).toEqual(['response', 'end']);
      expect((await chat(front, 'front', 'q-front-json')).status).toBe(200);
      const calls = askedQuestions(cluster.provider).filter(({ question }) => question.startsWith('q-front'));
      expect(calls.map(({ server }) => server)).toEqual(calls.map(() => worker.name));
      expect(calls).toHaveLength(8);
      for (const one of [front, worker]) one.kill('SIGTERM');
      expect(await Promise.all([front.exited, worker.exited])).toEqual([0, 0]);
    },
    LONG,
  );

  test(
    'work that waits at a server with SIGTERM continues at another',
    async () => {
      const one = { SERVICE_LIMITS__CONCURRENT_RUNS: '1' };
      [a, b] = await Promise.all([cluster.start(one), cluster.start()]);
      const other = b;
      const release = [held.hold('one', 'q-term-0'), held.hold('two', 'q-term-1')];
      const ids = [await background(a, 'term', 'q-term-0')];
      for (const index of [1, 2, 3]) ids.push(await background(a, 'term', `q-term-${index}`));
      await isAsked('one', 'q-term-0');
      a.kill('SIGTERM');
      await until(async () => (await fetch(`${a.url}/readyz`)).status === 503, 5_000);
      for (const free of release) free();
      expect(await a.exited).toBe(0);
      for (const id of ids) await ended(other, id);
      for (const index of [0, 1, 2, 3]) expect(agentsOf(cluster.provider, `q-term-${index}`)).toEqual(CHAIN);
      expect(await contentsOf(other, 'term')).toEqual([0, 1, 2, 3].map((index) => `q-term-${index}`));
    },
    LONG,
  );

  test(
    'runs of a killed server continue at another within two leases, with each event once',
    async () => {
      a = await cluster.start();
      const release = held.hold('three', 'q-kill');
      const runId = await background(a, 'kill', 'q-kill');
      const waits = await background(a, 'kill', 'q-kill-next');
      await isAsked('three', 'q-kill');
      // A server that is checking for runs of others leaves its accepted runs to the first server with a free slot.
      const runs = (name: string) =>
        askedQuestions(cluster.provider).some(
          ({ server, question }) => server === name && question === 'q-kill',
        );
      const [one, other] = runs(a.name) ? [a, b] : [b, a];
      const events = other.events(runId);
      one.kill('SIGKILL');
      const killed = performance.now();
      await one.exited;
      await until(() => runs(other.name), 20_000);
      // Plus a margin for a busy machine.
      expect(performance.now() - killed).toBeLessThan(2 * LEASE_SECONDS * 1000 + 1_000);
      release();
      const received = await events;
      expect(received.map(({ id }) => id)).toEqual(received.map((_, index) => index + 1));
      expect(received.slice(-2).map(({ event }) => event)).toEqual(['response', 'end']);
      await ended(other, waits);
      expect(agentsOf(cluster.provider, 'q-kill')).toEqual(['one', 'two', 'three', 'three', 'four']);
      expect(agentsOf(cluster.provider, 'q-kill-next')).toEqual(CHAIN);
      expect(await other.get(`/runs/${runId}`)).toMatchObject({ status: 'succeeded', attempt: 2 });
    },
    LONG,
  );
});
