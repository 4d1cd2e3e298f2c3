/** Spent refresh tokens: once, again within the grace, and again too late. */
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../../state/sqlite/open.ts';

test('a token is spent once; again after the grace revokes its family, and only it, over a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-spent-'));
  const open = () => openSqlite({ path: join(folder, 'skein.db'), checkpointsPerThread: 20 });
  const use = (id: string, now: number, family = 'f') => ({
    ...{ id, family, now },
    ...{ graceMs: 30_000, keepUntil: now + 100_000 },
  });
  let state = open();
  expect(await state.spentTokens.spend(use('a', 0))).toBe('fresh');
  expect(await state.spentTokens.spend(use('a', 30_000))).toBe('repeated');
  expect(await state.spentTokens.spend(use('b', 30_000))).toBe('fresh');
  expect(await state.spentTokens.spend(use('a', 30_001))).toBe('reused');
  await state.close();
  state = open();
  expect(await state.spentTokens.spend(use('c', 31_000))).toBe('revoked');
  expect(await state.spentTokens.spend(use('a', 31_000))).toBe('revoked');
  expect(await state.spentTokens.spend(use('x', 31_000, 'other'))).toBe('fresh');
  // What nobody could use any more is forgotten.
  expect(await state.spentTokens.spend(use('y', 200_000, 'other'))).toBe('fresh');
  expect(await state.spentTokens.spend(use('c', 200_000))).toBe('fresh');
  await state.close();
  rmSync(folder, { recursive: true });
});

test('of parallel uses one is the first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-spent-'));
  const state = openSqlite({ path: join(folder, 'skein.db'), checkpointsPerThread: 20 });
  const use = { id: 'a', family: 'f', now: 1, graceMs: 30_000, keepUntil: 2 };
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => state.spentTokens.spend(use)));
  expect(outcomes.filter((outcome) => outcome === 'fresh').length).toBe(1);
  await state.close();
  rmSync(folder, { recursive: true });
});
