/** The memory that bodies take while they arrive: what fits, what is refused, what gives way, and that all of it is freed. */
import { expect, test } from 'bun:test';
import { readBytes } from '../../../server/http/body-bytes.ts';
import { type BodyRoom, createBodyRoom } from '../../../server/http/body-room.ts';

const KIB = 1_024;

/** Sizes in KiB. */
const room = (small: number, large: number, now?: () => number) =>
  createBodyRoom({ small: small * KIB, large: large * KIB }, now);

/** A body of which so many KiB arrive, and no more until it is ended. */
function arriving(room: BodyRoom, kib: number, limitKib = 10_000) {
  const { promise: counted, resolve } = Promise.withResolvers<void>();
  const watched: BodyRoom = {
    enter() {
      const held = room.enter();
      return { ...held, take: (bytes) => resolve(held.take(bytes)) };
    },
  };
  let source: ReadableStreamDefaultController | undefined;
  const body = new ReadableStream({
    start(controller) {
      source = controller;
      controller.enqueue(new Uint8Array(kib * KIB));
    },
  });
  const request = new Request('http://localhost/', { method: 'POST', body });
  const outcome = readBytes(request, limitKib * KIB, watched).then(
    (bytes) => bytes.byteLength / KIB,
    (error) => error.code ?? error.message,
  );
  return { counted, outcome, end: () => source?.close(), fail: () => source?.error(new Error('gone')) };
}

/** Of a body that is there whole. */
function outcomeOf(room: BodyRoom, kib: number, limitKib?: number): Promise<unknown> {
  const body = arriving(room, kib, limitKib);
  body.end();
  return body.outcome;
}

test('bodies beyond the room are refused, with the time to wait', () => {
  const held = room(64, 100).enter();
  held.take(164 * KIB);
  expect(() => held.take(1)).toThrow(expect.objectContaining({ code: 'OVERLOADED', retryAfter: 1 }));
});

test('large bodies leave the small ones their room', async () => {
  const shared = room(256, 100);
  const large = arriving(shared, 164);
  await large.counted;
  expect(await outcomeOf(shared, 65)).toBe('OVERLOADED');
  expect(await outcomeOf(shared, 64)).toBe(64);
  large.end();
  expect(await large.outcome).toBe(164);
});

test('a body frees its room when it ends, fails, is too large or is refused', async () => {
  const shared = room(64, 100);
  for (let round = 0; round < 3; round++) {
    expect(await outcomeOf(shared, 164)).toBe(164);
    const failing = arriving(shared, 164);
    await failing.counted;
    failing.fail();
    expect(await failing.outcome).toBe('gone');
    expect(await outcomeOf(shared, 120, 100)).toBe('PAYLOAD_TOO_LARGE');
    expect(await outcomeOf(shared, 165)).toBe('OVERLOADED');
  }
});

test('a body that takes longer than ten seconds gives way to another, the oldest first', async () => {
  let now = 0;
  const shared = room(1_000, 200, () => now);
  const first = arriving(shared, 164);
  await first.counted;
  now = 1;
  const second = arriving(shared, 164);
  await second.counted;
  now = 10_000;
  expect(await outcomeOf(shared, 164)).toBe(164);
  expect(await first.outcome).toBe('OVERLOADED');
  second.end();
  expect(await second.outcome).toBe(164);
});
