/** Parses server-sent events that are split anywhere, and compares them with a simple parser written from the specification. */
import { expect, test } from 'bun:test';
import { eventReader, type StreamItem } from '../../client/connection.ts';
import { randomOf } from './random.ts';

/** The parsed events if the bytes arrive in chunks that end at the given positions. */
function read(bytes: Uint8Array, cuts: number[]): StreamItem[] {
  const reader = eventReader();
  const ends = [...cuts, bytes.length];
  return ends.flatMap((end, index) => [...reader(bytes.subarray(ends[index - 1] ?? 0, end))]);
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

test.each(['\n', '\r\n', '\r'])(
  'lines may end with %j, data may have several lines, comments are heartbeats',
  (end) => {
    const lines = [
      '\uFEFF: hello',
      'id: 1',
      'event:token',
      'data: {"text":',
      'data:"é🚲"}',
      '',
      ':',
      'id: 2',
      '',
    ];
    const bytes = bytesOf(lines.join(end));
    const expected = ['heartbeat', { id: 1, event: 'token', data: { text: 'é🚲' } }, 'heartbeat'];
    for (let cut = 0; cut <= bytes.length; cut++) expect(read(bytes, [cut]) as unknown[]).toEqual(expected);
    expect(read(bytes, Array.from(bytes.keys())) as unknown[]).toEqual(expected);
  },
);

test('a stream has the same events however it is split', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`seed ${seed}`);
  const random = randomOf(seed);
  const below = (bound: number) => Math.floor(random() * bound);
  for (let round = 0; round < 300; round++) {
    const expected: unknown[] = [];
    let text = below(2) ? '\uFEFF' : '';
    for (let id = 1; id <= 1 + below(6); id++) {
      const end = ['\n', '\r\n', '\r'][below(3)] ?? '\n';
      const data = { text: 'aé🚲\u2028: data\\n'.repeat(below(40)), list: [below(9), null] };
      if (below(3) === 0) {
        text += `: heartbeat${end}${end}`;
        expected.push('heartbeat');
      }
      const json = JSON.stringify(data, null, below(3)).replaceAll('\n', `${end}data: `);
      const lines = [
        `id:${below(2) ? ' ' : ''}${id}`,
        'event: token',
        'other: x',
        'retry: 10',
        `data: ${json}`,
      ];
      // Fields may be in any order.
      if (below(2)) lines.reverse();
      text += lines.join(end) + end + end;
      expected.push({ id, event: 'token', data });
    }
    // An incomplete event at the end is dropped.
    text += 'id: 99\ndata: {}\n';
    const bytes = bytesOf(text);
    const cuts = Array.from({ length: below(20) }, () => below(bytes.length)).sort((a, b) => a - b);
    expect(read(bytes, cuts) as unknown[]).toEqual(expected);
  }
});

test('a large event in small chunks takes linear time', () => {
  const time = (length: number) => {
    const bytes = bytesOf(`data: "${'x'.repeat(length)}"\n\n`);
    const cuts = Array.from({ length: length / 16 }, (_, index) => (index + 1) * 16);
    const started = performance.now();
    expect(read(bytes, cuts)).toHaveLength(1);
    return performance.now() - started;
  };
  time(100_000);
  // A quadratic reader would copy a growing text 250,000 times: minutes.
  expect(time(4_000_000)).toBeLessThan(5_000);
});
