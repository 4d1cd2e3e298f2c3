/** Crons on each driver. */
import { describe } from 'bun:test';
import { crons } from '../../../state/postgres/crons/crons.ts';
import { cronStoreContract } from '../../contracts/crons.ts';
import { drivers } from '../../support/open-drivers.ts';

const DRIVERS = drivers({
  sqlite: (state) => state.crons,
  postgres: (database) => crons(database, () => 'server'),
});

for (const { name, skip, open } of DRIVERS)
  describe.skipIf(skip)(name, () => {
    cronStoreContract(async () => {
      const { stores, reopen, close } = await open();
      return { crons: stores, reopen, close };
    });
  });
