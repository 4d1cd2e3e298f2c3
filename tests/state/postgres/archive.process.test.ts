/** Threads and their archive on PostgreSQL. */
import { describe } from 'bun:test';
import { archiveContract } from '../../contracts/archive.ts';
import { interruptsContract } from '../../contracts/interrupts.ts';
import { removalContract } from '../../contracts/removal.ts';
import { threadArchiveContract } from '../../contracts/thread-archive.ts';
import { POSTGRES } from '../../support/postgres-database.ts';
import { openThreads } from './open-threads.ts';

describe.skipIf(POSTGRES === undefined)('on PostgreSQL', () => {
  archiveContract(openThreads);
  threadArchiveContract(openThreads);
  removalContract(openThreads);
  interruptsContract(openThreads);
});
