/** The table of passages alone: large, with its indexes, and changed many times. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@lancedb/lancedb';
import { openPassages } from '../../../../../tools/knowledge/local/index/passages.ts';
import type { Row } from '../../../../../tools/knowledge/local/index/rows.ts';

// Other tests may keep the machine busy.
setDefaultTimeout(120_000);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-passages-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const DIMENSION = 128;
const TOPICS = 500;

test('from some thousand passages on, vectors have an index, which finds the same as an exhaustive comparison', async () => {
  const passages = await openPassages(folder);
  const rows = Array.from({ length: 10_500 }, (_, at) => row(at, `passage word${at % 50}`));
  for (let at = 0; at < rows.length; at += 1_500) await passages.add(rows.slice(at, at + 1_500));
  await passages.upkeep('busy');
  const table = await (await connect(folder)).openTable('passages');
  expect((await table.listIndices()).map(({ indexType }) => indexType).sort()).toEqual(['FTS', 'IvfRq']);
  table.close();
  // Not indexed yet, but found nevertheless.
  const later = row(20_000, 'passage late');
  await passages.add([later]);
  for (const row of [rows[7], rows[4_321], later]) {
    if (!row) throw new Error('no row');
    const hits = await passages.nearest(row.vector, { limit: 20, without: [] });
    expect(hits[0]?.id).toBe(row.chunk.id);
    expect(hits[0]?.score).toBeCloseTo(1, 2);
    const best = nearestOf([...rows, later], row.vector, 20);
    expect(hits.filter(({ id }) => best.includes(id)).length).toBeGreaterThanOrEqual(18);
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
    const others = await passages.nearest(row.vector, { limit: 20, without: [row.revision] });
    expect(others.some(({ id }) => id === row.chunk.id)).toBe(false);
  }
  expect((await passages.matching('late', { limit: 5, without: [] })).map(({ id }) => id)).toEqual([
    'id20000',
  ]);
  expect(await passages.matching('late', { limit: 5, without: [later.revision] })).toEqual([]);
  await passages.remove([later.revision]);
  expect(await passages.matching('late', { limit: 5, without: [] })).toEqual([]);
  expect([...(await passages.counts()).values()].reduce((sum, count) => sum + count, 0)).toBe(10_500);
  passages.close();
});

test('the folder does not grow when passages are replaced many times', async () => {
  let time = Date.now();
  const passages = await openPassages(folder, { now: () => time });
  const files = () => readdirSync(folder, { recursive: true }).length;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 30; round++) {
    await passages.add([row(round, `passage number ${round}`)]);
    if (round > 0) await passages.remove([round - 1]);
    // Once after the changes, and again when no reader can have the previous version open.
    for (const pause of [10_000, 60_000]) {
      time += pause;
      await passages.upkeep('idle');
    }
    if (round >= 5) least = Math.min(least, files());
  }
  expect(files()).toBeLessThanOrEqual(least + 5);
  expect(await passages.counts()).toEqual(new Map([[29, 1]]));
  expect((await passages.matching('passage', { limit: 5, without: [] })).map(({ id }) => id)).toEqual([
    'id29',
  ]);
  passages.close();
});

test.skipIf(process.platform !== 'linux')(
  'however often passages are replaced while they are searched, few files stay open',
  async () => {
    let time = Date.now();
    const passages = await openPassages(folder, { now: () => time });
    const open = () => readdirSync('/proc/self/fd').length;
    const rows = (round: number) =>
      Array.from({ length: 100 }, (_, at) => row(round * 100 + at, `passage of round${round} word${at}`));
    await passages.add(rows(0));
    const before = open();
    // Each round opens four more files, and every sixteenth closes all earlier ones.
    for (let round = 1; round <= 20; round++) {
      await passages.add(rows(round));
      await passages.remove(rows(round - 5).map(({ revision }) => revision));
      const searches = Array.from({ length: 4 }, () =>
        passages.matching(`round${round}`, { limit: 500, without: [] }),
      );
      time += 10_000;
      await passages.upkeep('idle');
      for (const hits of await Promise.all(searches)) expect(hits).toHaveLength(100);
    }
    // A closed connection closes its files when it is garbage-collected, which may take a few turns.
    for (let tries = 0; tries < 20 && open() - before >= 40; tries++) {
      Bun.gc(true);
      await Bun.sleep(10);
    }
    expect(open() - before).toBeLessThan(40);
    passages.close();
  },
);

test('a table whose full-text index is incomplete can be searched by words', async () => {
  const first = await openPassages(folder);
  await first.add([row(1, 'passage one')]);
  first.close();
  const table = await (await connect(folder)).openTable('passages');
  await table.dropIndex('body_idx');
  table.close();
  const second = await openPassages(folder);
  expect((await second.matching('one', { limit: 5, without: [] })).map(({ id }) => id)).toEqual(['id1']);
  second.close();
});

function row(revision: number, text: string): Row {
  const place = { heading: '', page: null, start: 0, end: text.length };
  return {
    revision,
    chunk: { id: `id${revision}`, parent: 'p', text, ...place },
    vector: vectorOf(revision),
  };
}

/** Returns the same vector for the same number. Vectors of one topic are near each other, as for real passages. */
function vectorOf(seed: number): Float32Array {
  const topic = numbersOf(seed % TOPICS);
  const own = numbersOf(seed + 1_000_000);
  const vector = topic.map((value, at) => value + (own[at] ?? 0) / 2);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function numbersOf(seed: number): Float32Array {
  // mulberry32
  let state = seed;
  return Float32Array.from({ length: DIMENSION }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 - 0.5;
  });
}

function nearestOf(rows: readonly Row[], vector: Float32Array, limit: number): string[] {
  const cosine = (one: Float32Array) => one.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0);
  return rows
    .map(({ chunk, vector }) => ({ id: chunk.id, score: cosine(vector) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ id }) => id);
}
