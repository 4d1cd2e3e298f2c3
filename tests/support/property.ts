/** Properties that hold for generated inputs. A failure prints the smallest input that fails, and the seed. */
import { test } from 'bun:test';
import fc from 'fast-check';

const SEED = Number(process.env.SKEIN_TEST_SEED ?? Date.now() % 1_000_000);
/** How many inputs a property gets. */
const CASES = Number(process.env.SKEIN_TEST_CASES ?? 300);
const LIMIT_MS = 20_000 + 30 * CASES;

type Arbitraries<Inputs> = { [I in keyof Inputs]: fc.Arbitrary<Inputs[I]> };

export interface PropertyOptions {
  /** Divides the number of inputs, for properties that take long. */
  costs?: number;
}

/** A test that `holds` throws for no input. */
export function property<Inputs extends [unknown, ...unknown[]]>(
  name: string,
  inputs: Arbitraries<Inputs>,
  holds: (...inputs: Inputs) => void | Promise<void>,
  { costs = 1 }: PropertyOptions = {},
): void {
  const numRuns = Math.ceil(CASES / costs);
  const all = fc.asyncProperty(...inputs, async (...values) => {
    await holds(...values);
  });
  test(`${name} (SKEIN_TEST_SEED=${SEED})`, () => fc.assert(all, { seed: SEED, numRuns }), LIMIT_MS);
}

/** Variants of a generated text after a few edits: parts are removed, repeated or replaced by these pieces. */
export function edited(texts: fc.Arbitrary<string>, pieces: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(), drop: fc.nat(4), put: fc.constantFrom('', ...pieces) });
  return fc.tuple(texts, fc.array(edit, { maxLength: 3 })).map(([text, edits]) =>
    edits.reduce((changed, { at, drop, put }) => {
      const start = at % (changed.length + 1);
      return changed.slice(0, start) + put + changed.slice(start + drop);
    }, text),
  );
}

/** Words of a language in any order: most are invalid, and some are nearly valid. */
export function anyOrder(words: readonly string[], maxLength = 40): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...words), { maxLength }).map((parts) => parts.join(''));
}

/** Text as it arrives from outside: any code points, control characters, and halves of surrogate pairs. */
export const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.array(fc.nat(0xffff), { maxLength: 30 }).map((codes) => String.fromCharCode(...codes)),
);

/** The same bytes in pieces: `cuts` says where. */
export function piecesOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}
