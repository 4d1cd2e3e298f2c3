/** Bodies over their limit are rejected with 413 before they are read, with any announced length. */
import { afterEach, expect, test } from 'bun:test';
import { type RawSocket, rawSocket } from '../../support/raw-socket.ts';
import { answerOf, expectRefused } from '../../support/refused.ts';
import { runningProvider, runningService } from '../../support/running.ts';
import { storedIn } from '../../support/stored.ts';

const MIB = 1024 * 1024;
const HEAD = 'POST /api/v1/chat HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\n';

const provider = runningProvider();
const service = runningService(provider);
let socket: RawSocket;

afterEach(() => socket?.close());

const bodyOf = (bytes: number) =>
  JSON.stringify({ user_prompt: 'x'.repeat(bytes), conversation_flow: 'classification-agent' });

function inPieces(text: string): ReadableStream {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(at, at + 65_536));
      at += 65_536;
      if (at >= bytes.length) controller.close();
    },
  });
}

const send = (path: string, method: string, body: RequestInit['body']) =>
  answerOf(service.fetch(path, { method, headers: { 'content-type': 'application/json' }, body }));

test.each([
  ['with its length', bodyOf(5 * MIB)],
  ['in pieces', inPieces(bodyOf(5 * MIB))],
])('a chat body of 5 MiB, sent %s', async (_, body) => {
  const answer = await send('/api/v1/chat', 'POST', body);
  expect(expectRefused(answer, 413, 'PAYLOAD_TOO_LARGE').detail).toBe('body: at most 4194304 bytes');
});

test.each([
  ['with its length', (text: string) => text],
  ['in pieces', inPieces],
])('every other body is limited to 1 MiB, sent %s', async (_, as) => {
  const over = JSON.stringify({ rating: 1, extra: 'x'.repeat(MIB) });
  expectRefused(await send('/api/v1/messages/m/feedback', 'PUT', as(over)), 413, 'PAYLOAD_TOO_LARGE');
  const under = over.slice(0, -100).concat('"}');
  expectRefused(await send('/api/v1/messages/m/feedback', 'PUT', as(under)), 404, 'MESSAGE_NOT_FOUND');
});

test('a chat body of just under 4 MiB is accepted', async () => {
  const answer = await send('/api/v1/chat', 'POST', bodyOf(4 * MIB - 1_000));
  expect(expectRefused(answer, 400, 'INVALID_REQUEST').detail).toStartWith('user_prompt: at most');
});

test('a body whose announced length is too large is rejected before any of it is sent', async () => {
  socket = await rawSocket(service);
  await socket.send(`${HEAD}Content-Length: ${5 * MIB}\r\n\r\n`);
  expectRefused(await socket.answer(), 413, 'PAYLOAD_TOO_LARGE');
});

test('a body without a length is rejected when it exceeds the limit, long before its end', async () => {
  socket = await rawSocket(service);
  await socket.send(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const piece = 'x'.repeat(65_536);
  const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
  const answered = () => socket.received() !== '';
  // Half a gigabyte would follow, and the last chunk is never sent.
  let sent = 0;
  while (!answered() && sent < 512 * MIB) sent += await socket.send(chunk, answered);
  expectRefused(await socket.answer(), 413, 'PAYLOAD_TOO_LARGE');
  expect(sent).toBeGreaterThan(4 * MIB);
  expect(sent).toBeLessThan(64 * MIB);
});

test('after the rejection, the connection is usable or closed, and the service still works', async () => {
  for (let round = 0; round < 3; round++) await send('/api/v1/chat', 'POST', inPieces(bodyOf(5 * MIB)));
  expect((await service.chat({ user_prompt: 'hi' })).status).toBe(200);
  expect((await storedIn(service.folder)).runs).toHaveLength(1);
});
