/** Turns that are rejected because of their prompt or the thread's interrupt. */
import { expect, test } from 'bun:test';
import { refuseWrongInterrupt } from '../../../runtime/run/open-interrupt.ts';
import { refuseLong, waitsForPerson } from '../../../runtime/run/refusals.ts';
import type { RunRequest } from '../../../state/threads/runs.ts';
import type { PendingInterrupt, Thread } from '../../../state/threads/threads.ts';

test('the length of a prompt is counted in code points, without white space around it', () => {
  const emoji = '\u{1F600}'.repeat(10);
  expect(emoji.length).toBe(20);
  for (const prompt of ['x'.repeat(10), emoji, `  ${emoji}\n`]) refuseLong(prompt, 10);
  for (const prompt of ['x'.repeat(11), `${emoji}x`, 'x'.repeat(21)])
    expect(() => refuseLong(prompt, 10)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', detail: 'user_prompt: at most 10 characters' }),
    );
});

test('the error quotes at most 500 characters of the question, and null for none', () => {
  expect(waitsForPerson(undefined).detail).toBe('It waits for an answer to: null');
  expect(waitsForPerson('x'.repeat(600)).detail).toBe(`It waits for an answer to: "${'x'.repeat(499)}`);
});

test('a new turn is rejected while the thread waits, and so is an answer to another interrupt', () => {
  const waiting = (runId: string) => ({
    interrupt: { runId, interrupts: [] } as unknown as PendingInterrupt,
  });
  const answer = (runId: string) => ({ runId }) as RunRequest['resume'];
  const check = (thread: Pick<Thread, 'interrupt'>, resume: RunRequest['resume']) => () =>
    refuseWrongInterrupt(thread as Thread, resume);
  expect(check(waiting('r'), undefined)).toThrow(expect.objectContaining({ code: 'THREAD_BUSY' }));
  expect(check(waiting('r'), answer('other'))).toThrow(expect.objectContaining({ code: 'NOT_INTERRUPTED' }));
  expect(check({ interrupt: null }, answer('r'))).toThrow(
    expect.objectContaining({ code: 'NOT_INTERRUPTED' }),
  );
  expect(check(waiting('r'), answer('r'))).not.toThrow();
  expect(check({ interrupt: null }, undefined)).not.toThrow();
});
