/** Runs of LangGraph's protocol that are stopped, with the process killed around each transaction of the stop. */
import { expect, test } from 'bun:test';
import { until } from '../server/support/until.ts';
import { at } from './every-commit.ts';
import type { Commit } from './lane.ts';
import { asking, type ProtocolLane } from './protocol-lane.ts';
import { newThread, protocolLanes } from './protocol-promises.ts';

const lanes = protocolLanes('apart');

interface Held {
  thread: string;
  run: string;
}

/** A run whose first node has finished, and whose second one waits for its model. */
async function heldRun(lane: ProtocolLane): Promise<Held> {
  const { runs } = lane.client;
  const thread = await newThread(lane);
  await runs.wait(thread, 'relay', { input: asking('before') });
  const since = lane.provider.requests.length;
  const { run_id: run } = await runs.create(thread, 'relay', { input: asking('hold') });
  await until(() => lane.calls(since).includes('two'), 60_000);
  return { thread, run };
}

interface Stop {
  /** The request that stops the run; it may be repeated. */
  ask(lane: ProtocolLane, held: Held): Promise<unknown>;
  check(lane: ProtocolLane, held: Held): Promise<void>;
}

async function survivesAll({ ask, check }: Stop): Promise<string[]> {
  async function survives(lane: ProtocolLane, kill: Commit) {
    const held = await heldRun(lane);
    const killed = await lane.killedDuring(kill, () => ask(lane, held).catch(() => {}));
    return at(
      () => ({ kill }),
      async () => {
        // Its client got no response.
        if (killed) await ask(lane, held);
        await check(lane, held);
        expect((await lane.client.threads.get(held.thread)).status).toBe('idle');
        return { killed };
      },
    );
  }
  return lanes.commits(survives);
}

async function stateOf({ client }: ProtocolLane, thread: string) {
  const { values, next } = await client.threads.getState(thread);
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  const { messages, done } = values as any;
  const questions = messages.filter(({ type }: { type: string }) => type === 'human');
  return { done, next, questions: questions.map(({ id }: { id: string }) => id) };
}

const BEFORE = ['one', 'two', 'three'];
const statusOf = async ({ client }: ProtocolLane, { thread, run }: Held) =>
  (await client.runs.get(thread, run)).status;

function expectPoints(points: string[]): void {
  for (const moment of ['before', 'after']) {
    expect(points).toContain(`${moment} other`);
    expect(points).toContain(`${moment} end`);
  }
}

test('a cancelled run keeps the work of its finished nodes', async () => {
  const points = await survivesAll({
    ask: ({ client }, { thread, run }) => client.runs.cancel(thread, run, true, 'interrupt'),
    async check(lane, held) {
      expect(await statusOf(lane, held)).toBe('interrupted');
      const state = { done: [...BEFORE, 'one'], next: ['two'], questions: ['before', 'hold'] };
      expect(await stateOf(lane, held.thread)).toEqual(state);
    },
  });
  expectPoints(points);
}, 900_000);

test('a run that is rolled back leaves nothing behind', async () => {
  const points = await survivesAll({
    ask: ({ client }, { thread, run }) =>
      client.runs.cancel(thread, run, true, 'rollback').catch((error) => {
        // It was rolled back, and its client was not notified.
        if (!String(error).startsWith('Error: HTTP 404')) throw error;
      }),
    async check(lane, held) {
      expect(statusOf(lane, held)).rejects.toThrow('HTTP 404');
      expect(await stateOf(lane, held.thread)).toEqual({ done: BEFORE, next: [], questions: ['before'] });
    },
  });
  expectPoints(points);
}, 900_000);

/** Starts another run in its place, once: if it is in the list, it was accepted. */
function replaced(strategy: 'interrupt' | 'rollback'): Stop['ask'] {
  return async ({ client: { runs } }, { thread }) => {
    const known = (await runs.list(thread)).find(({ metadata }) => metadata && 'instead' in metadata);
    const options = { input: asking('instead'), metadata: { instead: true }, multitaskStrategy: strategy };
    const { run_id } = known ?? (await runs.create(thread, 'relay', options));
    await runs.join(thread, run_id);
    expect((await runs.get(thread, run_id)).status).toBe('success');
  };
}

test('a run that another one interrupts keeps the work of its finished nodes', async () => {
  const points = await survivesAll({
    ask: replaced('interrupt'),
    async check(lane, held) {
      expect(await statusOf(lane, held)).toBe('interrupted');
      const done = [...BEFORE, 'one', ...BEFORE];
      const questions = ['before', 'hold', 'instead'];
      expect(await stateOf(lane, held.thread)).toEqual({ done, next: [], questions });
    },
  });
  expectPoints(points);
}, 900_000);

test('a run that another one rolls back leaves nothing behind', async () => {
  const points = await survivesAll({
    ask: replaced('rollback'),
    async check(lane, held) {
      expect(statusOf(lane, held)).rejects.toThrow('HTTP 404');
      const done = [...BEFORE, ...BEFORE];
      expect(await stateOf(lane, held.thread)).toEqual({ done, next: [], questions: ['before', 'instead'] });
    },
  });
  expectPoints(points);
}, 900_000);

test('a failed run keeps the work of its finished nodes', async () => {
  const points = await lanes.commits(async (lane, kill) => {
    const { runs, threads } = lane.client;
    const thread = await newThread(lane);
    const ask = async () => {
      const known =
        (await runs.list(thread))[0] ?? (await runs.create(thread, 'relay', { input: asking('fail') }));
      await runs.join(thread, known.run_id);
      return { thread, run: known.run_id };
    };
    const killed = await lane.killedDuring(kill, () => ask().catch(() => {}));
    return at(
      () => ({ kill }),
      async () => {
        expect(await statusOf(lane, await ask())).toBe('error');
        expect(await stateOf(lane, thread)).toEqual({ done: ['one'], next: ['two'], questions: ['fail'] });
        expect((await threads.get(thread)).status).toBe('error');
        await runs.wait(thread, 'relay', { input: asking('after') });
        expect((await stateOf(lane, thread)).done).toEqual(['one', ...BEFORE]);
        return { killed };
      },
    );
  });
  expectPoints(points);
}, 900_000);
