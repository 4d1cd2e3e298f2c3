/**
 * Callers do random operations while one server on SQLite is killed, stopped, paused and locked out of its file: nothing that
 * was acknowledged is lost, repeated, reordered or shown to another caller. SKEIN_TEST_OPERATIONS sets how many operations,
 * SKEIN_TEST_SEED repeats a run.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ON_POSTGRES } from '../support/test-state.ts';
import type { Chaos } from './chaos.ts';
import { chaosRun, OWNERS } from './chaos-run.ts';
import { openChaosServer } from './chaos-server.ts';

const SEED = Number(process.env.SKEIN_TEST_SEED ?? Math.floor(Math.random() * 1e9));
const OPERATIONS = Number(process.env.SKEIN_TEST_OPERATIONS ?? 2_000);

let chaos: Chaos;

describe.skipIf(ON_POSTGRES)('a history with kills', () => {
  beforeAll(async () => {
    chaos = await openChaosServer(SEED, OWNERS);
  }, 60_000);
  afterAll(() => chaos?.close());

  test(`keeps every promise (seed ${SEED})`, async () => {
    const problems = await chaosRun(chaos, SEED, OPERATIONS);
    expect(problems.slice(0, 40)).toEqual([]);
  }, 3_600_000);
});
