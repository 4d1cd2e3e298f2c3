/** Random operations by many callers while servers are disturbed, and the resulting violations. */
import { until } from '../server/support/until.ts';
import type { Chaos } from './chaos.ts';
import { calls, type Heard } from './chaos-callers.ts';
import { chaosProblems } from './chaos-checks.ts';

export const OWNERS = ['ann', 'bob', 'eve', 'joe'];
const CALLERS_EACH = 3;

/** Returns the violations, if any. Prints the operations and the seed that repeats them. */
export async function chaosRun(chaos: Chaos, seed: number, operations: number): Promise<string[]> {
  const heard: Heard = { told: [], forks: [], deleted: [], asked: [], problems: [], operations: {} };
  const count = () => Object.values(heard.operations).reduce((sum, one) => sum + one, 0);
  const goesOn = () => count() < operations;
  const callers = OWNERS.flatMap((owner, place) =>
    Array.from({ length: CALLERS_EACH }, (_, index) =>
      calls(chaos, owner, seed + 10 + place * CALLERS_EACH + index, heard, goesOn),
    ),
  );
  const disturbing = chaos.disturb();
  await Promise.all(callers);
  chaos.stop();
  await disturbing;
  await until(async () => (await chaos.history.unfinished()) === 0, 60_000).catch(() =>
    heard.problems.push('some runs have not ended'),
  );
  const problems = await chaosProblems(chaos, heard);
  console.log(
    `seed ${seed}: ${count()} operations ${JSON.stringify(heard.operations)}, ${JSON.stringify(chaos.done)}, ` +
      `${chaos.answers.calls.length} model calls, ${problems.length} problems`,
  );
  return problems;
}
