/** Every boundary of a run of four agents at which its process may be killed, enumerated: nothing is lost or done twice. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { allOf, at, everyCommit } from './every-commit.ts';
import { CHAIN } from './killed-workflows.ts';
import { type Answer, type Asked, type Crash, type Form, type Kill, type Lane, openLane } from './lane.ts';
import {
  contents,
  expectCallsOnce,
  expectRecovered,
  expectTexts,
  expectTokens,
  expectWholeStream,
  lasting,
} from './promises.ts';

// All but the second agent, which extracts.
const SPEAKERS = CHAIN.filter((agent) => agent !== 'two');

// Accepted, each agent finished, and ended: there may be more, which is a matter of milliseconds. The last agent's work
// is in the transaction that ends the run, where writes share one.
const agents = (count: number) => [
  ...Array.from({ length: count }, (_, finished) => `before agent, finished: ${finished}`),
  ...Array.from({ length: count }, (_, finished) => `after agent, finished: ${finished + 1}`),
];
const ACCEPTED = ['before accept, finished: 0', 'after accept, finished: 0'];
const POINTS = {
  shared: [...ACCEPTED, ...agents(3), 'before end, finished: 3', 'after end, finished: 4'],
  apart: [...ACCEPTED, ...agents(4), 'before end, finished: 4', 'after end, finished: 4'],
};

let lanes: Record<'shared' | 'apart', [Lane, Lane]>;
let threads = 0;
let undisturbed: { answer: Answer; shown: unknown };

beforeAll(async () => {
  lanes = {
    shared: await Promise.all([openLane('shared'), openLane('shared')]),
    apart: await Promise.all([openLane('apart'), openLane('apart')]),
  };
  const thread = `t${threads++}`;
  const { answer } = await lanes.shared[0].ask(say('Hello.', thread));
  undisturbed = { answer: lasting(answer), shown: await shownLater(lanes.shared[0], thread) };
}, 180_000);
afterAll(async () => {
  for (const lane of [...lanes.shared, ...lanes.apart]) await lane.close();
});

const say = (user_prompt: string, thread_id: string): Asked => ({
  path: '/api/v1/chat',
  body: { user_prompt, thread_id, conversation_flow: 'chain' },
  key: `${thread_id} ${user_prompt}`,
});

/** What the model is shown in the next turn of the thread. */
async function shownLater(lane: Lane, thread: string): Promise<unknown> {
  return (await lane.ask(say('And now?', thread))).shown;
}

async function survives(lane: Lane, form: Form, kill: Kill): Promise<Crash> {
  const thread = `t${threads++}`;
  const asked = say('Hello.', thread);
  const crashed = await lane.crash(asked, form, kill);
  if (!crashed.killed) return crashed;
  return at(
    () => ({ form, kill, ...crashed, heard: crashed.heard.length }),
    async () => {
      const recovery = await lane.recover(asked, crashed);
      expectRecovered(recovery, crashed);
      expect(lasting(recovery.answer)).toEqual(undisturbed.answer);
      expectCallsOnce(recovery, CHAIN, crashed);
      expectTokens(recovery, CHAIN);
      expectWholeStream(recovery);
      expectTexts(recovery, contents(recovery.answer, SPEAKERS));
      expect(await shownLater(lane, thread)).toEqual(undisturbed.shown);
      return crashed;
    },
  );
}

for (const [form, transactions] of [
  ['stream', 'apart'],
  ['async', 'shared'],
] as const) {
  test(`a turn (${form}) survives kill -9 before and after each of its transactions, ${transactions}`, async () => {
    const moments = ['before', 'after'] as const;
    const killed = moments.map((moment, index) =>
      everyCommit(moment, (kill) => survives(lanes[transactions][index] as Lane, form, kill)),
    );
    const points = (await allOf(killed)).flat();
    for (const point of POINTS[transactions]) expect(points).toContain(point);
  }, 180_000);
}

test('an answer that was not sent when the process was killed is given to who asks again', async () => {
  const end = { kind: 'end', number: 1 } as const;
  const [before, after] = await allOf([
    survives(lanes.shared[0], 'json', { moment: 'before', ...end }),
    survives(lanes.shared[1], 'json', { moment: 'after', ...end }),
  ]);
  expect([before, after]).toMatchObject([
    { killed: true, finished: 3 },
    { killed: true, finished: 4 },
  ]);
}, 120_000);

for (const call of ['unanswered', 'half answered'] as const) {
  test(`a turn survives kill -9 inside each agent while its model call is ${call}`, async () => {
    const inside = async (lane: Lane, agents: string[]) => {
      for (const agent of agents) {
        const { killed } = await survives(lane, 'stream', { agent, call });
        expect({ agent, killed }).toEqual({ agent, killed: true });
      }
    };
    await allOf([inside(lanes.shared[0], CHAIN.slice(0, 2)), inside(lanes.shared[1], CHAIN.slice(2))]);
  }, 120_000);
}
