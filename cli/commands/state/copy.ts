/** `skein state copy`: copies everything from one database to another. */
import { configurationError } from '../../../state/errors.ts';
import { copyState } from '../../../state/transfer/copy.ts';
import { databaseLabel, isSameDatabase, openStore } from '../../../state/transfer/open-store.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';

const USAGE = 'skein state copy --from FILE|URL --to FILE|URL [--replace]';
const FLAGS = [
  { name: '--from', takes: '.tmp/skein.db' },
  { name: '--to', takes: 'postgres://skein@localhost/skein' },
  { name: '--replace' },
];

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line or an unusable database. */
export async function copyCommand(argv: string[]): Promise<number> {
  const { own, words } = takeFlags(argv, FLAGS, []);
  const [from, to] = [own.get('--from'), own.get('--to')];
  if (!from || !to || words.length > 0) throw configurationError('arguments', `expected ${USAGE}`);
  if (isSameDatabase(from, to)) throw configurationError('--to', 'must not be the database of --from');
  const source = openStore(from, '--from');
  const target = openStore(to, '--to');
  try {
    const digests = await copyState({
      ...{ source, target, targetName: '--to', replace: own.has('--replace') },
      copied: (table, { rows, sum }) => {
        if (rows > 0) print(`${table.padEnd(WIDTH)}  ${String(rows).padStart(9)}  ${sum.slice(0, 16)}`);
      },
    });
    const rows = Object.values(digests).reduce((sum, digest) => sum + digest.rows, 0);
    print(
      `copied ${rows} rows from ${databaseLabel(from)} to ${databaseLabel(to)}; counts and digests match`,
    );
    return 0;
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

const WIDTH = 'webhook_deliveries'.length;
