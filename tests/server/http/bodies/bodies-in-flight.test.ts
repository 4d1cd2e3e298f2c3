/** Many large bodies in flight: their memory is limited over all connections, and small ones still get through. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { type RawSocket, rawSocket } from '../../support/raw-socket.ts';
import { expectRefused } from '../../support/refused.ts';
import { runningProvider, runningService } from '../../support/running.ts';
import { until } from '../../support/until.ts';

setDefaultTimeout(60_000);

const MIB = 1_048_576;
const provider = runningProvider();
const service = runningService(provider);

const HEAD = 'POST /api/v1/chat HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\n';
const START = '{"conversation_flow":"classification-agent","user_prompt":"';
/** A body without the final quote and brace. */
const BODY = Buffer.from(START + 'x'.repeat(4 * MIB - START.length - 2));

interface Held {
  sockets: RawSocket[];
  refused(): RawSocket[];
}

/** Twelve fit into 48 MiB. */
async function holdFourteen(): Promise<Held> {
  const sockets = await Promise.all(Array.from({ length: 14 }, () => rawSocket(service)));
  const refused = () => sockets.filter((socket) => socket.received() !== '');
  for (const socket of sockets) await socket.send(`${HEAD}Content-Length: ${4 * MIB}\r\n\r\n`);
  await Promise.all(sockets.map((socket) => socket.send(BODY, () => socket.received() !== '')));
  await until(() => refused().length >= 2, 30_000);
  return { sockets, refused };
}

test('bodies beyond the limit get 503 with Retry-After, while bodies up to 64 KiB are accepted', async () => {
  const held = await holdFourteen();
  const [first] = held.refused();
  const answer = await first?.answer();
  if (!answer) throw new Error('nothing was rejected');
  expectRefused(answer, 503, 'OVERLOADED');
  expect(answer.headers.get('retry-after')).toBe('1');
  for (const length of [10, 60_000])
    expect((await service.chat({ user_prompt: 'x'.repeat(length) })).status).toBe(200);
  expect(held.refused().length).toBe(2);
  for (const socket of held.sockets) socket.close();
});

/** Ends the remaining bodies and returns the number of responses by status. */
async function ended({ sockets, refused }: Held, end: string): Promise<Record<number, number>> {
  const remaining = sockets.filter((socket) => !refused().includes(socket));
  for (const socket of remaining) await socket.send(end);
  const answers = await Promise.all(sockets.map((socket) => socket.answer(30_000)));
  for (const socket of sockets) socket.close();
  const byStatus = Object.groupBy(answers, ({ status }) => status);
  return Object.fromEntries(Object.entries(byStatus).map(([status, group]) => [status, group?.length ?? 0]));
}

test('the memory is free again after clients have disconnected and after bodies were rejected for their content', async () => {
  const closed = await holdFourteen();
  for (const socket of closed.sockets) socket.close();
  // The service learns of a disconnect a little later.
  await until(async () => (await ended(await holdFourteen(), '"}'))[400] === 12, 30_000);
  expect(await ended(await holdFourteen(), 'xx')).toEqual({ 400: 12, 503: 2 });
  expect(await ended(await holdFourteen(), '"}')).toEqual({ 400: 12, 503: 2 });
});
