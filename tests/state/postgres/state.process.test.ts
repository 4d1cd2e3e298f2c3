/** The contract suites on PostgreSQL. */
import { describe } from 'bun:test';
import { archiveContract } from '../../contracts/archive.ts';
import { budgetsContract } from '../../contracts/budgets.ts';
import { coordinationContract } from '../../contracts/coordination.ts';
import { cronsContract } from '../../contracts/crons.ts';
import { erasureContract } from '../../contracts/erasure.ts';
import { feedbackContract } from '../../contracts/feedback.ts';
import { interruptsContract } from '../../contracts/interrupts.ts';
import { removalContract } from '../../contracts/removal.ts';
import { searchContract } from '../../contracts/search.ts';
import { stateContract } from '../../contracts/state.ts';
import { threadArchiveContract } from '../../contracts/thread-archive.ts';
import { usageContract } from '../../contracts/usage.ts';
import { webhooksContract } from '../../contracts/webhooks.ts';
import { openedPostgres } from '../../support/opened-postgres.ts';
import { POSTGRES } from '../../support/postgres-database.ts';

describe.skipIf(POSTGRES === undefined)('on PostgreSQL', () => {
  stateContract(openedPostgres);
  coordinationContract(openedPostgres);
  archiveContract(openedPostgres);
  threadArchiveContract(openedPostgres);
  removalContract(openedPostgres);
  interruptsContract(openedPostgres);
  feedbackContract(openedPostgres);
  webhooksContract(openedPostgres);
  cronsContract(openedPostgres);
  erasureContract(openedPostgres);
  searchContract(openedPostgres);
  usageContract(openedPostgres);
  budgetsContract(openedPostgres);
});
