/** Threads and their archive on PostgreSQL. */
import { describe } from 'bun:test';
import { archiveContract } from '../../contracts/archive.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { openThreads } from './open-threads.ts';

describe.skipIf(POSTGRES === undefined)('on PostgreSQL', () => {
  archiveContract(openThreads);
});
