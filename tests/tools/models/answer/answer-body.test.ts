/** Parses a provider's response, which arrives in any chunks. */
import { expect, test } from 'bun:test';
import { readAnswer } from '../../../../tools/models/answer/answer-body.ts';
import { eventStream } from '../../../support/provider.ts';
import { errorOf } from '../scripted.ts';

async function documentsOf(response: Response): Promise<string[]> {
  const documents: string[] = [];
  await readAnswer(response, (json) => documents.push(json));
  return documents;
}

function inPieces(text: string, size: number): Response {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    if (at >= bytes.length) return controller.close();
    controller.enqueue(bytes.slice(at, at + size));
    at += size;
  };
  return eventStream(new ReadableStream({ pull }));
}

const EVENTS = [
  ': a comment\n\nevent: message\nid: 7\ndata: {"a":"é🚲"}\n\n',
  'data:{"b":1}\r\n\r\n',
  'data: {"c":\ndata: 2}\n\n',
  'data: 3\n\n\n\ndata:\n\n',
].join('');
const DOCUMENTS = ['{"a":"é🚲"}', '{"b":1}', '{"c":\n2}', '3'];

test.each([1, 2, 3, 7, 1_000])('events are the same in chunks of %i bytes', async (size) => {
  expect(await documentsOf(inPieces(EVENTS, size))).toEqual(DOCUMENTS);
  expect(await documentsOf(inPieces(`${EVENTS}data: [DONE]\n\n`, size))).toEqual(DOCUMENTS);
});

test('the last event needs no blank line after it', async () => {
  expect(await documentsOf(inPieces('data: 1\n\ndata: 2', 4))).toEqual(['1', '2']);
});

test('nothing after [DONE] is read, and the connection is released', async () => {
  const cancelled = Promise.withResolvers<void>();
  const pull = (controller: ReadableStreamDefaultController) =>
    controller.enqueue(new TextEncoder().encode('data: 1\n\ndata: [DONE]\n\ndata: 2\n\n'));
  const body = new ReadableStream({ pull, cancel: () => cancelled.resolve() });
  expect(await documentsOf(eventStream(body))).toEqual(['1']);
  await cancelled.promise;
});

test('a body that does not end after [DONE] is released a second later, without waiting', async () => {
  const cancelled = Promise.withResolvers<number>();
  const started = performance.now();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\ndata: [DONE]\n\n')),
    cancel: () => cancelled.resolve(performance.now() - started),
  });
  expect(await documentsOf(eventStream(body))).toEqual(['1']);
  expect(performance.now() - started).toBeLessThan(1_000);
  expect(await cancelled.promise).toBeLessThan(20_000);
});

test('a JSON document is returned whole', async () => {
  const response = new Response(inPieces('{"a":\n\n"é"}', 1).body, {
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  expect(await documentsOf(response)).toEqual(['{"a":\n\n"é"}']);
});

test('an error of the listener ends the reading, and is thrown unchanged', async () => {
  const ours = new Error('ours');
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel() {
      cancelled = true;
    },
  });
  const reading = readAnswer(eventStream(body), () => {
    throw ours;
  });
  expect(await errorOf(reading)).toBe(ours);
  expect(cancelled).toBe(true);
});

test('an HTML response is released without reading it', async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream({ cancel: () => cancelled.resolve() });
  const page = new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(await errorOf(readAnswer(page, () => {}))).toMatchObject({
    message: 'the provider sent a web page',
  });
  await cancelled.promise;
});
