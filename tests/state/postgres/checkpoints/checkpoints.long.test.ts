/** Checkpoints on PostgreSQL. */
import { describe } from 'bun:test';
import { deltaHistoryContract } from '../../../contracts/checkpoints/delta-history.ts';
import { checkpointListContract } from '../../../contracts/checkpoints/list.ts';
import { listElementsContract } from '../../../contracts/checkpoints/list-elements.ts';
import { saverContract } from '../../../contracts/checkpoints/saver.ts';
import { POSTGRES } from '../../../support/postgres-database.ts';
import { openSaver } from './open-saver.ts';

describe.skipIf(POSTGRES === undefined)('the saver', () => saverContract(openSaver));
describe.skipIf(POSTGRES === undefined)('lists', () => listElementsContract(openSaver));
describe.skipIf(POSTGRES === undefined)('delta channels', () => deltaHistoryContract(openSaver));
describe.skipIf(POSTGRES === undefined)('the list of checkpoints', () => checkpointListContract(openSaver));
