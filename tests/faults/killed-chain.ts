/** Turns of a chain of four agents whose process is killed at a given point, and the guarantees for each. */
import { afterAll, beforeAll, expect } from 'bun:test';
import { at } from './every-commit.ts';
import { CHAIN } from './killed-workflows.ts';
import { type Answer, type Asked, type Crash, type Form, type Kill, type Lane, openLane } from './lane.ts';
import {
  contents,
  expectCallsOnce,
  expectRecovered,
  expectTexts,
  expectTokens,
  expectWholeStream,
  stableParts,
} from './promises.ts';

export interface KilledChain {
  /** Two services that are killed in parallel. */
  lanes(): [Lane, Lane];
  /** Sends a turn, kills the service at the given point, restarts it, and compares everything with an undisturbed turn. */
  survives(lane: Lane, form: Form, kill: Kill): Promise<Crash>;
}

// All but the second agent, which extracts.
const SPEAKERS = CHAIN.filter((agent) => agent !== 'two');

/** Opened before the tests of the file or `describe` that calls it, closed after them. */
export function killedChain(transactions: 'shared' | 'apart'): KilledChain {
  let lanes: [Lane, Lane];
  let threads = 0;
  let undisturbed: { answer: Answer; shown: unknown };

  beforeAll(async () => {
    lanes = await Promise.all([openLane(transactions), openLane(transactions)]);
    const thread = `t${threads++}`;
    const { answer } = await lanes[0].ask(say('Hello.', thread));
    undisturbed = { answer: stableParts(answer), shown: await shownLater(lanes[0], thread) };
  }, 180_000);
  afterAll(async () => {
    for (const lane of lanes ?? []) await lane.close();
  });

  return {
    lanes: () => lanes,
    async survives(lane, form, kill) {
      const thread = `t${threads++}`;
      const request = say('Hello.', thread);
      const crashed = await lane.crash(request, form, kill);
      if (!crashed.killed) return crashed;
      return at(
        () => ({ form, kill, ...crashed, heard: crashed.received.length }),
        async () => {
          const recovery = await lane.recover(request, crashed);
          expectRecovered(recovery, crashed);
          expect(stableParts(recovery.answer)).toEqual(undisturbed.answer);
          expectCallsOnce(recovery, CHAIN, crashed);
          expectTokens(recovery, CHAIN);
          expectWholeStream(recovery);
          expectTexts(recovery, contents(recovery.answer, SPEAKERS));
          expect(await shownLater(lane, thread)).toEqual(undisturbed.shown);
          return crashed;
        },
      );
    },
  };
}

const say = (user_prompt: string, thread_id: string): Asked => ({
  path: '/api/v1/chat',
  body: { user_prompt, thread_id, conversation_flow: 'chain' },
  key: `${thread_id} ${user_prompt}`,
});

/** The messages that the model sees in the thread's next turn. */
async function shownLater(lane: Lane, thread: string): Promise<unknown> {
  return (await lane.ask(say('And now?', thread))).shown;
}
