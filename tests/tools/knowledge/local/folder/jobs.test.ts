/** Queued documents: how they are grouped, and that a group fits into memory. */
import { expect, test } from 'bun:test';
import { openJobs } from '../../../../../tools/knowledge/local/folder/jobs.ts';

const MIB = 1024 * 1024;
const names = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name);

test('a group has documents that are small together, or a single one', () => {
  const jobs = openJobs();
  for (const name of ['a', 'b', 'c']) void jobs.add({ name, bytes: 1.5 * MIB, urgency: 0 });
  void jobs.add({ name: 'd', bytes: 19 * MIB, urgency: 0 });
  expect(names(jobs.take())).toEqual(['a', 'b']);
  expect(names(jobs.take())).toEqual(['c']);
  expect(names(jobs.take())).toEqual(['d']);
});

test('a document that has grown in the queue counts with its current size', () => {
  const jobs = openJobs();
  for (const name of ['a', 'b']) void jobs.add({ name, bytes: 0, urgency: 0 });
  for (const name of ['a', 'b']) void jobs.add({ name, bytes: 19 * MIB, urgency: 2 });
  expect(names(jobs.take())).toEqual(['a']);
  expect(names(jobs.take())).toEqual(['b']);
});
