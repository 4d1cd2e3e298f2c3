/** The contract of webhooks. A driver's test calls it with a function that opens an empty state. */
import { expect, test } from 'bun:test';
import { errorBody, SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { NewRun, RunEnd } from '../../state/threads/runs.ts';
import { accepted, failedEnd } from './turn.ts';

export interface OpenedState {
  state: State;
  close(): Promise<void>;
}

const URL_OF_HOOK = 'https://hooks.example.org/a';
const HOLD = { holdMs: 1000, limit: 10 };

export function webhooksContract(open: () => Promise<OpenedState>): void {
  async function opened(use: (opened: OpenedState) => Promise<void>): Promise<void> {
    const one = await open();
    try {
      await use(one);
    } finally {
      await one.close();
    }
  }

  test('the end of a run inserts its webhook once, and none without a URL', () =>
    opened(async ({ state }) => {
      await ended(state, { webhook: undefined, threadId: 'other' });
      expect(await state.webhooks.nextAt()).toBeNull();
      const { run, end, lease } = await ended(state);
      await state.coordination.end(lease, end, false);
      expect(await state.webhooks.nextAt()).toBe(100);
      const taken = await state.webhooks.take(100, HOLD);
      expect(taken).toMatchObject([{ url: URL_OF_HOOK, head: null, attempts: [] }]);
      expect(taken[0]?.run).toMatchObject({
        runId: run.runId,
        owner: 'ann',
        status: 'failed',
        finishedAt: 100,
      });
    }));

  test('a rolled back run has no webhook', () =>
    opened(async ({ state }) => {
      const error = errorBody(new SkeinError('RUN_CANCELLED'), 'r');
      await ended(state, { outcome: { status: 'cancelled', error, partial: '', rollback: true } });
      expect(await state.webhooks.nextAt()).toBeNull();
      await ended(state, { outcome: { status: 'cancelled', error, partial: '' } });
      expect(await state.webhooks.nextAt()).toBe(100);
    }));

  test('a taken delivery is due again if no attempt is recorded in time', () =>
    opened(async ({ state }) => {
      await ended(state);
      expect(await state.webhooks.take(99, HOLD)).toEqual([]);
      expect(await state.webhooks.take(100, HOLD)).toHaveLength(1);
      expect(await state.webhooks.take(1099, HOLD)).toEqual([]);
      expect(await state.webhooks.nextAt()).toBe(1100);
      expect(await state.webhooks.take(1100, HOLD)).toHaveLength(1);
    }));

  test('keeps attempts; a failed delivery is due later, a settled one never again', () =>
    opened(async ({ state }) => {
      const { run } = await ended(state);
      const [{ deliveryId = '' } = {}] = await state.webhooks.take(100, HOLD);
      const first = { at: 100, status: 500, error: 'answered with status 500' };
      await state.webhooks.record(deliveryId, first, { at: 300 });
      expect(await state.webhooks.take(299, HOLD)).toEqual([]);
      expect(await state.webhooks.take(300, HOLD)).toMatchObject([{ deliveryId, attempts: [first] }]);
      const last = { at: 301, status: 200, error: null };
      await state.webhooks.record(deliveryId, last, 'delivered');
      expect(await state.webhooks.nextAt()).toBeNull();
      expect(await state.webhooks.ofRun(run.runId)).toEqual([
        { deliveryId, state: 'delivered', attempts: [first, last] },
      ]);
    }));

  test('deleting a thread deletes its webhooks', () =>
    opened(async ({ state }) => {
      const { run, thread } = await ended(state);
      const { archive } = state as State & { archive: { removal: { thread(key: string): Promise<void> } } };
      await archive.removal.thread(thread.key);
      expect(await state.webhooks.nextAt()).toBeNull();
      expect(await state.webhooks.ofRun(run.runId)).toEqual([]);
    }));

  test('notifies watchers of a new delivery', () =>
    opened(async ({ state }) => {
      const notified = Promise.withResolvers<void>();
      const unwatch = state.webhooks.watch(notified.resolve);
      await ended(state);
      await notified.promise;
      unwatch();
    }));
}

/** A run with a webhook that has just ended. */
export async function webhookRun(state: State): Promise<{ runId: string }> {
  const run = newRun(Bun.randomUUIDv7(), URL_OF_HOOK);
  const { thread, lease } = await accepted(state, run);
  await state.coordination.end(lease, failedEnd({ run, thread }, Date.now()), false);
  return run;
}

interface Ending {
  webhook?: string | undefined;
  threadId?: string;
  outcome?: RunEnd['outcome'];
}

async function ended(state: State, { webhook, threadId = 't', outcome }: Ending = { webhook: URL_OF_HOOK }) {
  const run = newRun(threadId, outcome ? URL_OF_HOOK : webhook);
  const { thread, lease } = await accepted(state, run);
  const end = { ...failedEnd({ run, thread }), ...(outcome && { outcome }) };
  await state.coordination.end(lease, end, false);
  return { run, thread, lease, end };
}

export function newRun(threadId: string, webhook: string | undefined): NewRun {
  return {
    ...{ runId: Bun.randomUUIDv7(), messageId: Bun.randomUUIDv7(), owner: 'ann', threadId, title: '' },
    ...{ workflow: 'w', createdAt: 1 },
    request: {
      ...{ userPrompt: '', deadlineSeconds: 1, requestId: 'r' },
      protocol: {
        ...{ assistantId: 'a', metadata: {}, strategy: 'enqueue', streamModes: [], streamSubgraphs: false },
        ...(webhook && { webhook }),
      },
    },
  };
}
