/** Services that are killed during runs of LangGraph's protocol, and the guarantees for such runs. */
import { afterAll, beforeAll, expect } from 'bun:test';
import { allOf, everyCommit } from './every-commit.ts';
import type { Commit } from './lane.ts';
import { type Heard, openProtocolLane, type ProtocolLane } from './protocol-lane.ts';

export interface Lanes {
  /** Two services that are killed in parallel. */
  all(): [ProtocolLane, ProtocolLane];
  /** Kills before and after each transaction; returns the points at which a service was killed. */
  commits(survives: (lane: ProtocolLane, kill: Commit) => Promise<{ killed: boolean }>): Promise<string[]>;
}

/** Opened before the tests of the file that calls it, closed after them. */
export function protocolLanes(transactions: 'shared' | 'apart'): Lanes {
  let lanes: [ProtocolLane, ProtocolLane];
  beforeAll(async () => {
    lanes = await Promise.all([openProtocolLane(transactions), openProtocolLane(transactions)]);
  }, 180_000);
  afterAll(async () => {
    for (const lane of lanes ?? []) await lane.close();
  });
  return {
    all: () => lanes,
    async commits(survives) {
      const killed = (['before', 'after'] as const).map((moment, index) =>
        everyCommit(moment, (kill) => survives(index === 0 ? lanes[0] : lanes[1], kill)),
      );
      return (await allOf(killed)).flat();
    },
  };
}

let threads = 0;

export async function newThread({ client }: ProtocolLane): Promise<string> {
  return (await client.threads.create({ threadId: `t${threads++}` })).thread_id;
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
type Values = any;

/** The parts of a state that don't depend on when it is created. */
const lasting = ({ messages, done }: Values) => ({
  messages: messages.map(({ type, content }: Values) => [type, content]),
  done,
});

export function expectOnce(heard: Heard[]): void {
  expect(heard.map(({ id }) => id)).toEqual(heard.map((_, index) => String(index)));
  expect(heard[0]).toMatchObject({ event: 'metadata' });
  expect(heard.filter(({ event }) => event === 'metadata')).toHaveLength(1);
  expect(heard.at(-1)).toMatchObject({ event: 'end' });
}

const replayed = (lane: ProtocolLane, thread: string, run: string) =>
  Array.fromAsync(lane.client.runs.joinStream(thread, run, { lastEventId: '-1' })) as unknown as Promise<
    Heard[]
  >;

export async function joined({ client: { runs } }: ProtocolLane, thread: string) {
  const all = await runs.list(thread);
  await Promise.all(all.map(({ run_id }) => runs.join(thread, run_id)));
  return all;
}

/** Checks the run, its replay after its end, and the thread. */
export async function expectWhole(lane: ProtocolLane, thread: string, heard: Heard[]): Promise<void> {
  const { runs, threads } = lane.client;
  const all = await joined(lane, thread);
  expect((await runs.list(thread)).map(({ status }) => status)).toEqual(all.map(() => 'success'));
  const first = all.at(-1)?.run_id ?? '';
  const replay = await replayed(lane, thread, first);
  expectOnce(replay);
  if (heard.length > 0) expect(heard).toEqual(replay);
  const { status } = await threads.get(thread);
  expect(status).toBe('idle');
}

export async function valuesOf({ client }: ProtocolLane, thread: string): Promise<Values> {
  return lasting((await client.threads.getState(thread)).values);
}
