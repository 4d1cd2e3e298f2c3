/** How an agent's attempts are counted over the end of a process. */
import { expect, test } from 'bun:test';
import { runProgress } from '../../../runtime/journal/run-progress.ts';
import type { NewEntry } from '../../../state/events.ts';

const said = (delta: string): NewEntry => ({ kind: 'message', node: 'a', body: { delta } });
const agent = (state: 'started' | 'finished' | 'failed', attempt = 1): NewEntry =>
  state === 'started'
    ? { kind: 'task', node: 'a', body: { attempt } }
    : { kind: 'task_end', node: 'a', body: { state, attempt, duration_ms: 1 } };

function after(...entries: NewEntry[]) {
  const progress = runProgress();
  for (const entry of entries) progress.restore(entry);
  return progress;
}

test('an agent that a stopping service interrupted begins its next attempt, and what it said is void', () => {
  for (const cut of [[], [agent('failed')]]) {
    const progress = after(agent('started'), said('Half of it, '), ...cut);
    const attempt = progress.attempts.first('a');
    expect(attempt).toBe(2);
    progress.note(agent('started', attempt));
    progress.note(said('All of it.'));
    expect(progress.text()).toBe('All of it.');
    // Later in the same process it is called anew.
    expect(progress.attempts.first('a')).toBe(1);
  }
});

test('an agent that had finished begins anew', () => {
  expect(after(agent('started'), agent('finished')).attempts.first('a')).toBe(1);
});
