/** A slot of a pool that is kept between jobs in quick succession. */
import { expect, test } from 'bun:test';
import { lease } from '../../../tools/processes/lease.ts';
import { openPool } from '../../../tools/processes/pool.ts';

const HOUR_MS = 3_600_000;
const LIMITS = { jobs: 'jobs', maxWaiting: 10 };
const first = () => 0;
const job = async (slot: string) => slot;

test('jobs in quick succession get the same slot, and no other job gets it between them', async () => {
  const pool = openPool(['a', 'b'], LIMITS);
  const [one, two] = [lease(pool, HOUR_MS, first), lease(pool, HOUR_MS, first)];
  expect([await one.use(job), await two.use(job), await one.use(job)]).toEqual(['a', 'b', 'a']);
  const third = pool.use(job);
  expect(await two.use(job)).toBe('b');
  expect(Bun.peek.status(third)).toBe('pending');
  one.end();
  expect(await third).toBe('a');
});

test('a slot without a job is released after a while', async () => {
  const pool = openPool(['a'], LIMITS);
  const one = lease(pool, 1, first);
  await one.use(job);
  expect(await pool.use(job)).toBe('a');
  expect(await one.use(job)).toBe('a');
});

test('failed and abandoned jobs block nothing', async () => {
  const pool = openPool(['a'], LIMITS);
  const [one, two] = [lease(pool, HOUR_MS, first), lease(pool, HOUR_MS, first)];
  const fails = async () => {
    throw new Error('no');
  };
  expect(await one.use(fails).catch(({ message }) => message)).toBe('no');
  const aborter = new AbortController();
  const waiting = two.use(job, aborter.signal).catch((reason) => reason);
  aborter.abort('left');
  expect(await waiting).toBe('left');
  one.end();
  expect(await two.use(job)).toBe('a');
});
