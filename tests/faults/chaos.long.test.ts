/**
 * Callers do anything, servers and their database come and go at random: nothing that was acknowledged is lost. Runs where
 * SKEIN_TEST_OPERATIONS says how many operations: it is a search for faults by seeds, not a check of every change.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { POSTGRES } from '../support/postgres-database.ts';
import type { Chaos } from './chaos.ts';
import { openChaosCluster } from './chaos-cluster.ts';
import { chaosRun, OWNERS } from './chaos-run.ts';

const SEED = Number(process.env.SKEIN_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const OPERATIONS = process.env.SKEIN_TEST_OPERATIONS;

let chaos: Chaos;

describe.skipIf(POSTGRES === undefined || OPERATIONS === undefined)('chaos', () => {
  beforeAll(async () => {
    chaos = await openChaosCluster(SEED, OWNERS);
  }, 60_000);
  afterAll(() => chaos?.close());

  test(`nothing acknowledged is lost (seed ${SEED})`, async () => {
    const problems = await chaosRun(chaos, SEED, Number(OPERATIONS));
    expect(problems.slice(0, 40)).toEqual([]);
  }, 3_600_000);
});
