/** A turn whose process is killed inside each of its agents, and between its end and its answer. */
import { expect, test } from 'bun:test';
import { allOf } from './every-commit.ts';
import { killedChain } from './killed-chain.ts';
import { CHAIN } from './killed-workflows.ts';
import type { Lane } from './lane.ts';

const { lanes, survives } = killedChain('shared');

test('an answer that was not sent when the process was killed is returned to a repeated request', async () => {
  const end = { kind: 'end', number: 1 } as const;
  const [first, second] = lanes();
  const [before, after] = await allOf([
    survives(first, 'json', { moment: 'before', ...end }),
    survives(second, 'json', { moment: 'after', ...end }),
  ]);
  expect([before, after]).toMatchObject([
    { killed: true, finished: 3 },
    { killed: true, finished: 4 },
  ]);
}, 300_000);

test.each(['unanswered', 'half answered'] as const)(
  'a turn survives kill -9 inside each agent while its model call is %s',
  async (call) => {
    const inside = async (lane: Lane, agents: string[]) => {
      for (const agent of agents) {
        const { killed } = await survives(lane, 'stream', { agent, call });
        expect({ agent, killed }).toEqual({ agent, killed: true });
      }
    };
    const [first, second] = lanes();
    await allOf([inside(first, CHAIN.slice(0, 2)), inside(second, CHAIN.slice(2))]);
  },
  300_000,
);
