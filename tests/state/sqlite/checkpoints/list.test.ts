/** The list of checkpoints on SQLite. */
import { checkpointListContract } from '../../../contracts/checkpoints/list.ts';
import { openSaver } from './open-saver.ts';

checkpointListContract(openSaver);
