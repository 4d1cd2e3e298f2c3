/** Spent refresh tokens: once, again within the grace, and again too late. */
import { describe, expect, test } from 'bun:test';
import { spentTokens } from '../../state/postgres/spent-tokens.ts';
import { drivers, postgresServers } from '../support/open-drivers.ts';
import { POSTGRES } from '../support/postgres-database.ts';

const DRIVERS = drivers({ sqlite: (state) => state.spentTokens, postgres: spentTokens });

const use = (id: string, now: number, family = 'f') => ({
  ...{ id, family, now },
  ...{ graceMs: 30_000, keepUntil: now + 100_000 },
});

for (const { name, skip, open } of DRIVERS)
  describe.skipIf(skip)(name, () => {
    test('a token is spent once; again after the grace revokes its family, and only it, over a restart', async () => {
      const { stores, reopen, close } = await open();
      expect(await stores.spend(use('a', 0))).toBe('fresh');
      expect(await stores.spend(use('a', 30_000))).toBe('repeated');
      expect(await stores.spend(use('b', 30_000))).toBe('fresh');
      expect(await stores.spend(use('a', 30_001))).toBe('reused');
      const again = await reopen();
      expect(await again.spend(use('c', 31_000))).toBe('revoked');
      expect(await again.spend(use('a', 31_000))).toBe('revoked');
      expect(await again.spend(use('x', 31_000, 'other'))).toBe('fresh');
      // What nobody could use any more is forgotten.
      expect(await again.spend(use('y', 200_000, 'other'))).toBe('fresh');
      expect(await again.spend(use('c', 200_000))).toBe('fresh');
      await close();
    });

    test('a token and a family that were forgotten count as new, however they are met', async () => {
      const { stores, close } = await open();
      await stores.spend(use('a', 0));
      expect(await stores.spend(use('a', 90_000))).toBe('reused');
      expect(await stores.spend(use('a', 190_001))).toBe('fresh');
      expect(await stores.spend(use('a', 250_000))).toBe('reused');
      await close();
    });

    test('of parallel uses one is the first', async () => {
      const { stores, close } = await open();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => stores.spend(use('a', 1))));
      expect(outcomes.filter((outcome) => outcome === 'fresh').length).toBe(1);
      expect(outcomes.filter((outcome) => outcome === 'repeated').length).toBe(19);
      await close();
    });
  });

test.skipIf(POSTGRES === undefined)('of the uses on several servers one is the first', async () => {
  const { open, drop } = await postgresServers();
  const servers = [open(), open(), open()].map(spentTokens);
  for (let round = 0; round < 20; round++) {
    const outcomes = await Promise.all(servers.map((one) => one.spend(use(`t${round}`, round))));
    expect(outcomes.toSorted()).toEqual(['fresh', 'repeated', 'repeated']);
  }
  const late = await Promise.all(servers.map((one) => one.spend(use('t0', 40_000))));
  expect(late.toSorted()).toEqual(['reused', 'revoked', 'revoked']);
  await drop();
});
