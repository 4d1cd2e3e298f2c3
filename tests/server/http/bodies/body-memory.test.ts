/** The memory of arriving request bodies: its limits, evictions and releases. */
import { expect, test } from 'bun:test';
import { readBytes } from '../../../../server/http/bodies/body-bytes.ts';
import { type BodyMemory, createBodyMemory } from '../../../../server/http/bodies/body-memory.ts';

const KIB = 1_024;

/** Sizes in KiB. */
const memory = (small: number, large: number, now?: () => number) =>
  createBodyMemory({ small: small * KIB, large: large * KIB }, now);

/** A body of which `kib` KiB arrive. It stays open until `end` or `fail`. */
function arriving(memory: BodyMemory, kib: number, limitKib = 10_000) {
  const { promise: counted, resolve } = Promise.withResolvers<void>();
  const watched: BodyMemory = {
    open() {
      const reservation = memory.open();
      return { ...reservation, reserve: (bytes) => resolve(reservation.reserve(bytes)) };
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

/** The outcome of a body that arrives completely. */
function outcomeOf(memory: BodyMemory, kib: number, limitKib?: number): Promise<unknown> {
  const body = arriving(memory, kib, limitKib);
  body.end();
  return body.outcome;
}

test('bodies beyond the limit are rejected with Retry-After', () => {
  const reservation = memory(64, 100).open();
  reservation.reserve(164 * KIB);
  expect(() => reservation.reserve(1)).toThrow(
    expect.objectContaining({ code: 'OVERLOADED', retryAfter: 1 }),
  );
});

test('large bodies do not block small ones', async () => {
  const shared = memory(256, 100);
  const large = arriving(shared, 164);
  await large.counted;
  expect(await outcomeOf(shared, 65)).toBe('OVERLOADED');
  expect(await outcomeOf(shared, 64)).toBe(64);
  large.end();
  expect(await large.outcome).toBe(164);
});

test('a body frees its memory when it ends, fails, is too large or is rejected', async () => {
  const shared = memory(64, 100);
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

test('a body that takes longer than ten seconds is evicted in favour of another, oldest first', async () => {
  let now = 0;
  const shared = memory(1_000, 200, () => now);
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
