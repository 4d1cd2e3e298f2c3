/** A thread that asks a person twice, killed around each transaction: no answer is lost or used for the other question. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { allOf, at, everyCommit } from './every-commit.ts';
import { type Answer, type Asked, type Crash, type Form, type Kill, type Lane, openLane } from './lane.ts';
import {
  contents,
  expectCallsOnce,
  expectRecovered,
  expectTexts,
  expectWholeStream,
  stableParts,
} from './promises.ts';

/** The client's requests in order: the agent asks before its model call, and after it. */
const STEPS = ['the turn', 'the first answer', 'the second answer'];
/** The agents that call the model in each step; an agent that asks restarts with each answer. */
const CALLERS = [[], ['asker'], ['asker', 'closer']];

let lanes: [Lane, Lane];
let threads = 0;
/** The answer of each step. */
const undisturbed: Answer[] = [];
let later: unknown;

beforeAll(async () => {
  lanes = await Promise.all([openLane('apart'), openLane('apart')]);
  const thread = `t${threads++}`;
  for (const step of STEPS.keys()) undisturbed.push((await lanes[0].ask(asks(step, thread))).answer);
  later = await shownLater(lanes[0], thread);
}, 180_000);
afterAll(async () => {
  for (const lane of lanes) await lane.close();
});

function asks(step: number, thread_id: string): Asked {
  const key = `${thread_id} ${step}`;
  if (step > 0) return { path: `/api/v1/threads/${thread_id}/resume`, body: { value: `A${step}` }, key };
  const body = { user_prompt: 'Hello.', thread_id, conversation_flow: 'asking' };
  return { path: '/api/v1/chat', body, key };
}

function expectAnswerOf(step: number, answer: Answer): void {
  expect(stableParts(answer)).toEqual(stableParts(undisturbed[step]));
}

/** The output of the asker is not the text of its model. */
function saidIn(answer: Answer, step: number): Record<string, string> {
  if (step === 0) return {};
  return { asker: 'Here asker says that it was shown 2 messages in all.', ...contents(answer, ['closer']) };
}

/** The messages that the model sees in the thread's next turn, by another workflow. */
async function shownLater(lane: Lane, thread_id: string): Promise<unknown> {
  const body = { user_prompt: 'And now?', thread_id, conversation_flow: 'chain' };
  return (await lane.ask({ path: '/api/v1/chat', body, key: `${thread_id} later` })).shown;
}

/** The step is killed, the others are not. */
async function survives(lane: Lane, killed: { step: number; form: Form; kill: Kill }): Promise<Crash> {
  const thread = `t${threads++}`;
  for (let step = 0; step < killed.step; step++) await lane.ask(asks(step, thread));
  const request = asks(killed.step, thread);
  const crashed = await lane.crash(request, killed.form, killed.kill);
  if (!crashed.killed) return crashed;
  return at(
    () => ({ ...killed, ...crashed, heard: crashed.received.length }),
    async () => {
      const recovery = await lane.recover(request, crashed);
      expectRecovered(recovery, crashed);
      expectAnswerOf(killed.step, recovery.answer);
      expectWholeStream(recovery);
      expectCallsOnce(recovery, CALLERS[killed.step] ?? [], crashed);
      expectTexts(recovery, saidIn(recovery.answer, killed.step));
      for (let step = killed.step + 1; step < STEPS.length; step++)
        expectAnswerOf(step, (await lane.ask(asks(step, thread))).answer);
      expect(await shownLater(lane, thread)).toEqual(later);
      return crashed;
    },
  );
}

test('without a kill, each question gets its own answer', () => {
  const [first, second, last] = undisturbed;
  expect(first.interrupt.value).toBe('the first question');
  expect(second.interrupt.value).toBe('the second question');
  expect(last.outputs[0]).toMatchObject({ agent: 'asker', content: 'first A1, second A2' });
});

for (const [step, name] of STEPS.entries()) {
  // Until it asks, the turn is like any other.
  for (const form of step === 0 ? (['stream'] as const) : (['stream', 'async'] as const)) {
    test(`${name} (${form}) survives kill -9 before and after each of its transactions`, async () => {
      const moments = ['before', 'after'] as const;
      const killed = moments.map((moment, index) =>
        everyCommit(moment, (kill) => survives(lanes[index] as Lane, { step, form, kill })),
      );
      const points = (await allOf(killed)).flat();
      const agents = step === 2 ? ['before agent, finished: 0', 'after agent, finished: 1'] : [];
      const last = step === 2 ? 2 : 0;
      const ends = [
        'before accept, finished: 0',
        'after accept, finished: 0',
        `after end, finished: ${last}`,
      ];
      for (const point of [...agents, ...ends]) expect(points).toContain(point);
    }, 180_000);
  }
}

test('an answer survives kill -9 inside each model call that follows it', async () => {
  const inside = async (lane: Lane, call: 'unanswered' | 'half answered') => {
    for (const [step, agents] of CALLERS.entries()) {
      for (const agent of agents) {
        const { killed } = await survives(lane, { step, form: 'stream', kill: { agent, call } });
        expect({ step, agent, killed }).toEqual({ step, agent, killed: true });
      }
    }
  };
  await allOf([inside(lanes[0], 'unanswered'), inside(lanes[1], 'half answered')]);
}, 120_000);
