/** Delta channels on SQLite. */
import { deltaHistoryContract } from '../../../contracts/checkpoints/delta-history.ts';
import { openSaver } from './open-saver.ts';

deltaHistoryContract(openSaver);
