/**
 * Callers do random operations while servers and their database are killed and restarted: nothing that was acknowledged is lost.
 * SKEIN_TEST_OPERATIONS sets the number of operations: 20,000 take about 20 minutes and find rare faults.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { POSTGRES } from '../support/postgres-database.ts';
import type { Chaos } from './chaos.ts';
import { openChaosCluster } from './chaos-cluster.ts';
import { chaosRun, OWNERS } from './chaos-run.ts';

const SEED = Number(process.env.SKEIN_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const OPERATIONS = Number(process.env.SKEIN_TEST_OPERATIONS ?? 300);

let chaos: Chaos;

describe.skipIf(POSTGRES === undefined)('chaos', () => {
  beforeAll(async () => {
    chaos = await openChaosCluster(SEED, OWNERS);
  }, 60_000);
  afterAll(() => chaos?.close());

  test(`nothing acknowledged is lost (seed ${SEED})`, async () => {
    const problems = await chaosRun(chaos, SEED, OPERATIONS);
    expect(problems.slice(0, 40)).toEqual([]);
  }, 3_600_000);
});
