/** Messages as content blocks: every kind of chunk that models send. */
import { expect, test } from 'bun:test';
import { messageEvents } from '../../../../server/langgraph/v2/content-blocks.ts';
import type { MessageDelta } from '../../../../state/threads/events.ts';

const piece = (chunk: object, delta = ''): MessageDelta => ({
  ...{ delta, id: 'm' },
  chunk: { type: 'ai', tool_call_chunks: [], ...chunk },
});

/** The events of the chunks, without the fields that all have. */
function eventsOf(pieces: MessageDelta[], error?: string): object[] {
  const events = messageEvents('m');
  const all = [...pieces.flatMap((one) => events.push(one)), ...events.end(error)];
  for (const event of all) expect(event.run_id).toBe('m');
  return all.map(({ run_id: _, ...rest }) => rest);
}

test('the text of a chat run is one block', () => {
  expect(eventsOf([{ delta: 'a' }, { delta: 'b' }])).toEqual([
    { event: 'message-start' },
    { event: 'content-block-start', index: 0, content: { type: 'text', text: '' } },
    { event: 'content-block-delta', index: 0, delta: { type: 'text-delta', text: 'a' } },
    { event: 'content-block-delta', index: 0, delta: { type: 'text-delta', text: 'b' } },
    { event: 'content-block-finish', index: 0, content: { type: 'text', text: 'ab' } },
    { event: 'message-finish', responseMetadata: {} },
  ]);
});

test('reasoning, text and calls are separate blocks, whatever their indexes are', () => {
  const call = (args: string, more: object = {}) =>
    piece({ tool_call_chunks: [{ index: 0, args, ...more }] });
  const blocks = eventsOf([
    piece({ content: [{ type: 'thinking', thinking: 'hm', index: 0 }] }),
    piece({ content: [{ type: 'thinking', thinking: 'm', index: 0 }] }),
    piece({ content: [{ type: 'text', text: 'yes', index: 1 }] }),
    call('{"a"', { id: 'c', name: 'add' }),
    call(':1}'),
    piece({ tool_call_chunks: [{ index: 1, args: '{"b', id: 'd', name: 'add' }] }),
  ]);
  const finished = blocks.filter((one) => 'event' in one && one.event === 'content-block-finish');
  expect(finished).toEqual([
    { event: 'content-block-finish', index: 0, content: { type: 'reasoning', reasoning: 'hmm' } },
    { event: 'content-block-finish', index: 1, content: { type: 'text', text: 'yes' } },
    {
      event: 'content-block-finish',
      index: 2,
      content: { type: 'tool_call', id: 'c', name: 'add', args: { a: 1 } },
    },
    {
      event: 'content-block-finish',
      index: 3,
      content: {
        ...{ type: 'invalid_tool_call', id: 'd', name: 'add', args: '{"b' },
        error: 'The arguments are not valid JSON',
      },
    },
  ]);
  // Clients overwrite the fields of a block with those of a delta.
  const deltas = blocks.flatMap((one) => ('delta' in one ? [one.delta] : []));
  expect(deltas).toContainEqual({
    type: 'block-delta',
    fields: { type: 'tool_call_chunk', id: 'c', name: 'add', args: '{"a":1}' },
  });
});

test('a whole message has its role, its calls and its other fields when it ends', () => {
  const image = { type: 'image', url: 'https://example.com/a.png' };
  const human = {
    delta: '',
    id: 'h',
    chunk: { type: 'human', content: [{ type: 'text', text: 'see' }, image] },
  };
  const [start, ...rest] = messageEvents('h').push(human);
  expect(start).toEqual({ event: 'message-start', id: 'h', run_id: 'h', role: 'human' });
  expect(rest.map(({ event }) => event)).toEqual([
    ...['content-block-start', 'content-block-delta', 'content-block-start'],
    ...['content-block-finish', 'content-block-finish', 'message-finish'],
  ]);
  const answer = { type: 'ai', content: '', tool_calls: [{ id: 'c', name: 'add', args: { a: 1 } }] };
  const [, begin] = messageEvents('m').push({ delta: '', id: 'm', chunk: answer });
  expect(begin).toMatchObject({ content: { type: 'tool_call', id: 'c', args: { a: 1 } } });
  const result = { type: 'tool', content: '2', tool_call_id: 'c' };
  expect(messageEvents('t').push({ delta: '', id: 't', chunk: result })[0]).toMatchObject({
    ...{ role: 'tool', tool_call_id: 'c' },
  });
});

test('a message ends after its finish reason and usage, and nothing follows', () => {
  const events = messageEvents('m');
  events.push(piece({ usage_metadata: { input_tokens: 5, output_tokens: 0, total_tokens: 5 } }, 'a'));
  const stop = { response_metadata: { stop_reason: 'end_turn' } };
  const usage = { usage_metadata: { input_tokens: 0, output_tokens: 2, total_tokens: 2 } };
  expect(events.push(piece({ ...stop, ...usage })).at(-1)).toMatchObject({
    ...{ event: 'message-finish', reason: 'end_turn' },
    usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
  });
  expect(events.push(piece({}, 'late'))).toEqual([]);
  expect(events.end()).toEqual([]);
});

test('an interrupted message ends with the error', () => {
  expect(eventsOf([piece({}, 'a')], 'it broke').at(-1)).toEqual({ event: 'error', message: 'it broke' });
  expect(eventsOf([])).toEqual([]);
});
