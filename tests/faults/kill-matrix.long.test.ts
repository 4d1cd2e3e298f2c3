/** A process that is killed at each transaction of a run of four agents: nothing is lost or done twice. */
import { describe, expect, test } from 'bun:test';
import { allOf, everyCommit } from './every-commit.ts';
import { killedChain } from './killed-chain.ts';

// The acceptance, each agent, and the end; depending on the timing, there may be more. The last agent's work
// is in the transaction that ends the run, if writes share one.
const agents = (count: number) => [
  ...Array.from({ length: count }, (_, finished) => `before agent, finished: ${finished}`),
  ...Array.from({ length: count }, (_, finished) => `after agent, finished: ${finished + 1}`),
];
const ACCEPTED = ['before accept, finished: 0', 'after accept, finished: 0'];
const POINTS = {
  shared: [...ACCEPTED, ...agents(3), 'before end, finished: 3', 'after end, finished: 4'],
  apart: [...ACCEPTED, ...agents(4), 'before end, finished: 4', 'after end, finished: 4'],
};

describe.each([
  ['stream', 'apart'],
  ['async', 'shared'],
] as const)('a turn (%s), transactions %s', (form, transactions) => {
  const { lanes, survives } = killedChain(transactions);

  test('survives kill -9 before and after each of its transactions', async () => {
    const moments = ['before', 'after'] as const;
    const killed = moments.map((moment, index) =>
      everyCommit(moment, (kill) => survives(index === 0 ? lanes()[0] : lanes()[1], form, kill)),
    );
    const points = (await allOf(killed)).flat();
    for (const point of POINTS[transactions]) expect(points).toContain(point);
  }, 600_000);
});
