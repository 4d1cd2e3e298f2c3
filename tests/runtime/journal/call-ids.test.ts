/** The ids of tool calls: the graph's own, or made for calls that have none. */
import { expect, test } from 'bun:test';
import { callIds } from '../../../runtime/journal/call-ids.ts';

test('calls without an id get one that is the same at the start and the end, in order', () => {
  const idOf = callIds();
  const call = (state: 'started' | 'finished', tool = 'a', id: string | null = null) =>
    idOf({ tool, tool_call_id: id, state });
  expect([call('started'), call('started', 'b'), call('started'), call('started', 'a', 'given')]).toEqual([
    ...['a-1', 'b-2', 'a-3', 'given'],
  ]);
  expect([call('finished', 'b'), call('finished'), call('finished', 'a', 'given'), call('finished')]).toEqual(
    [...['b-2', 'a-1', 'given', 'a-3']],
  );
});

test('the end of a call whose beginning is missing gets the latest id', () => {
  const idOf = callIds();
  expect(idOf({ tool: 'a', tool_call_id: null, state: 'finished' })).toBe('a-0');
});
