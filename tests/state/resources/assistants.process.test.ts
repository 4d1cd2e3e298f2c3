/** Assistants on each driver. */
import { describe } from 'bun:test';
import { assistants } from '../../../state/postgres/assistants/assistants.ts';
import { assistantsContract } from '../../contracts/assistants.ts';
import { drivers } from '../../support/open-drivers.ts';

const DRIVERS = drivers({ sqlite: (state) => state.assistants, postgres: assistants });

for (const { name, skip, open } of DRIVERS)
  describe.skipIf(skip)(name, () => {
    assistantsContract(async () => {
      const { stores, reopen, close } = await open();
      return { assistants: stores, reopen, close };
    });
  });
