/** Server-sent events: the client and the provider's reader parse what the service writes, however the bytes are split. */
import { expect } from 'bun:test';
import fc from 'fast-check';
import { eventReader } from '../../client/connection.ts';
import { ConnectionLost } from '../../client/requests.ts';
import { sseFrame } from '../../server/http/streams/sse.ts';
import { readAnswer } from '../../tools/models/answer/answer-body.ts';
import { ProviderError } from '../../tools/models/errors/provider-error.ts';
import { anyOrder, piecesOf, property } from '../support/property.ts';

const frame = fc.record({
  id: fc.option(fc.nat(), { nil: undefined }),
  event: fc.stringMatching(/^[a-z_]{1,12}$/),
  data: fc.jsonValue({ noUnicodeString: false }),
});
const cuts = fc.array(fc.nat(), { maxLength: 12 });
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Normalized as in JSON, where -0 becomes 0. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

property(
  'events are read as they were written',
  [fc.array(frame, { maxLength: 8 }), cuts],
  (frames, places) => {
    const text = frames.map((one) => `${sseFrame(one)}: heartbeat\n\n`).join('');
    const read = eventReader();
    const received = piecesOf(bytesOf(text), places).flatMap((piece) => [...read(piece)]);
    expect(received).toEqual(
      frames.flatMap(({ id, event, data }) => [{ id, event, data: plain(data) }, 'heartbeat']) as never,
    );
  },
);

const LINES = [
  'data: 1',
  'data:"a"',
  'data: {',
  'data:',
  'id: 7',
  'id: x',
  'id',
  'event: e',
  ': c',
  'retry: 1',
  '\n',
  '\r\n',
  '\r',
  '\n\n',
  'é',
  '\ufeff',
  '\0',
];

function readIn(text: string, places: readonly number[]): unknown[] {
  const read = eventReader();
  const received: unknown[] = [];
  try {
    for (const piece of piecesOf(bytesOf(text), places)) for (const one of read(piece)) received.push(one);
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    received.push('lost');
  }
  return received;
}

property("the chunk boundaries don't change the events", [anyOrder(LINES, 20), cuts], (text, places) => {
  expect(readIn(text, places)).toEqual(readIn(text, []));
});

/** The documents that the provider's reader returns for a body. */
async function documentsIn(text: string, places: readonly number[], type: string): Promise<string[]> {
  const found: string[] = [];
  const pieces = piecesOf(bytesOf(text), places);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = pieces.shift();
      if (next === undefined) controller.close();
      else if (next.length > 0) controller.enqueue(next.slice());
      else controller.enqueue(new Uint8Array(1).subarray(1));
    },
  });
  try {
    await readAnswer(new Response(body, { headers: { 'content-type': type } }), (json) => found.push(json));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    found.push(error.failure);
  }
  return found;
}

const documents = fc.array(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  { maxLength: 6 },
);

property(
  "a provider's documents are returned one by one, until the end marker",
  [documents, documents, cuts, fc.constantFrom('\n', '\r\n')],
  async (before, after, places, end) => {
    const events = [...before, '[DONE]', ...after].map((json) => `data: ${json}${end}${end}`).join('');
    expect(await documentsIn(events, places, 'text/event-stream')).toEqual(before);
  },
);

property("a response that isn't a stream is one document", [fc.json(), cuts], async (json, places) => {
  expect(await documentsIn(json, places, 'application/json')).toEqual([json]);
});

property(
  "the chunk boundaries of a provider's response don't change the documents",
  [anyOrder([...LINES, 'data: [DONE]'], 20), cuts],
  async (text, places) => {
    const type = 'text/event-stream';
    expect(await documentsIn(text, places, type)).toEqual(await documentsIn(text, [], type));
  },
);
