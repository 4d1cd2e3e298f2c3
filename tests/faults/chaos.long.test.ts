/**
 * Callers do anything, servers and their database come and go at random: nothing that was acknowledged is lost. Runs where
 * SKEIN_TEST_OPERATIONS says how many operations: it is a search for faults by seeds, not a check of every change.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../server/support/until.ts';
import { POSTGRES } from '../support/postgres-database.ts';
import { calls, type Heard } from './chaos-callers.ts';
import { chaosProblems } from './chaos-checks.ts';
import { type Chaos, openChaos } from './chaos-servers.ts';

const SEED = Number(process.env.SKEIN_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const OPERATIONS = process.env.SKEIN_TEST_OPERATIONS;
const OWNERS = ['ann', 'bob', 'eve', 'joe'];
const CALLERS_EACH = 3;

const heard: Heard = { told: [], forks: [], deleted: [], asked: [], problems: [], operations: {} };
let chaos: Chaos;

describe.skipIf(POSTGRES === undefined || OPERATIONS === undefined)('chaos', () => {
  beforeAll(async () => {
    chaos = await openChaos(SEED, OWNERS);
  }, 60_000);
  afterAll(() => chaos?.close());

  test(`nothing acknowledged is lost (seed ${SEED})`, async () => {
    const most = Number(OPERATIONS);
    const operations = () => Object.values(heard.operations).reduce((sum, count) => sum + count, 0);
    const goesOn = () => operations() < most;
    const callers = OWNERS.flatMap((owner, place) =>
      Array.from({ length: CALLERS_EACH }, (_, index) =>
        calls(chaos, owner, SEED + 10 + place * CALLERS_EACH + index, heard, goesOn),
      ),
    );
    const disturbing = chaos.disturb();
    await Promise.all(callers);
    chaos.stop();
    await disturbing;
    await until(async () => {
      const [{ left }] = await chaos.audit
        .sql`SELECT count(*)::int AS left FROM skein.runs WHERE finished_at IS NULL`;
      return left === 0;
    }, 60_000).catch(() => heard.problems.push('some runs have not ended'));

    const problems = await chaosProblems(chaos, heard);
    console.log(`seed ${SEED}: ${operations()} operations ${JSON.stringify(heard.operations)}`);
    console.log(
      `${JSON.stringify(chaos.done)}, ${chaos.answers.calls.length} model calls, ${problems.length} problems`,
    );
    expect(problems.slice(0, 40)).toEqual([]);
  }, 3_600_000);
});
