/** A run does not wait for the function that makes its graph after the run has ended. */
import { expect, test } from 'bun:test';
import { makeGraph } from '../../../../runtime/run/execution/make-graph.ts';
import { SkeinError } from '../../../../state/errors.ts';

test.each([
  [
    'at the deadline with an error that names the function',
    new SkeinError('RUN_TIMEOUT', { detail: 'after 3 s' }),
    {
      code: 'RUN_TIMEOUT',
      message: 'The function that makes the graph did not return in time',
      detail: 'after 3 s',
    },
  ],
  [
    'at the deadline, even if no time is known',
    new SkeinError('RUN_TIMEOUT'),
    { code: 'RUN_TIMEOUT', message: 'The function that makes the graph did not return in time' },
  ],
  ['at a cancellation with its reason', new SkeinError('RUN_CANCELLED'), { code: 'RUN_CANCELLED' }],
])('the wait for the function ends %s', async (_, reason, expected) => {
  const stopper = new AbortController();
  const never = Promise.withResolvers<never>();
  const made = makeGraph({ isMade: true, graphFor: () => never.promise }, {}, stopper.signal);
  stopper.abort(reason);
  await expect(made).rejects.toMatchObject(expected);
});
