/** Spent refresh tokens: the first use, a repeated use within the grace period, and a late one. */
import { describe, expect, test } from 'bun:test';
import { spentTokens } from '../../../state/postgres/spent-tokens.ts';
import { drivers, postgresServers } from '../../support/open-drivers.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

const DRIVERS = drivers({ sqlite: (state) => state.spentTokens, postgres: spentTokens });

const use = (id: string, now: number, family = 'f') => ({
  ...{ id, family, now },
  ...{ graceMs: 30_000, keepUntil: now + 100_000 },
});

for (const { name, skip, open } of DRIVERS)
  describe.skipIf(skip)(name, () => {
    test('a token is spent once; a use after the grace period revokes only its family, across a restart', async () => {
      const { stores, reopen, close } = await open();
      expect(await stores.spend(use('a', 0))).toBe('fresh');
      expect(await stores.spend(use('a', 30_000))).toBe('repeated');
      expect(await stores.spend(use('b', 30_000))).toBe('fresh');
      expect(await stores.spend(use('a', 30_001))).toBe('reused');
      const again = await reopen();
      expect(await again.spend(use('c', 31_000))).toBe('revoked');
      expect(await again.spend(use('a', 31_000))).toBe('revoked');
      expect(await again.spend(use('x', 31_000, 'other'))).toBe('fresh');
      // Expired tokens are deleted.
      expect(await again.spend(use('y', 200_000, 'other'))).toBe('fresh');
      expect(await again.spend(use('c', 200_000))).toBe('fresh');
      await close();
    });

    test('deleted tokens and families count as new', async () => {
      const { stores, close } = await open();
      await stores.spend(use('a', 0));
      expect(await stores.spend(use('a', 90_000))).toBe('reused');
      expect(await stores.spend(use('a', 190_001))).toBe('fresh');
      expect(await stores.spend(use('a', 250_000))).toBe('reused');
      await close();
    });

    test('only one of several concurrent uses is the first', async () => {
      const { stores, close } = await open();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => stores.spend(use('a', 1))));
      expect(outcomes.filter((outcome) => outcome === 'fresh').length).toBe(1);
      expect(outcomes.filter((outcome) => outcome === 'repeated').length).toBe(19);
      await close();
    });
  });

test.skipIf(POSTGRES === undefined)('only one of the uses on several servers is the first', async () => {
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
