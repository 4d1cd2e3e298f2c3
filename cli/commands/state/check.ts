/** `skein state check`: reports inconsistencies in the database of conversations. */
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import type { Settings } from '../../../settings/schema.ts';
import { configurationError } from '../../../state/errors.ts';
import { checkState } from '../../../state/transfer/check/check.ts';
import { databaseLabel, openStore } from '../../../state/transfer/open-store.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { failed, printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';

const FLAGS = [{ name: '--database', takes: '.tmp/skein.db' }];

/** Returns the exit code: 1 if it finds an inconsistency. Throws CONFIGURATION_ERROR. */
export async function checkCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  if (words.length > 0)
    throw configurationError('arguments', 'expected skein state check [--database FILE|URL]');
  const named = own.get('--database');
  const [database, name] = named === undefined ? configured(rest) : [named, '--database'];
  const store = openStore(database, name);
  let problems = 0;
  try {
    const counts = await store.read((reading) =>
      checkState(reading, (problem) => {
        problems++;
        print(printable(problem));
      }),
    );
    const held = Object.entries(counts).filter(([, rows]) => rows > 0);
    const text = held.map(([table, rows]) => `${rows} ${table.replaceAll('_', ' ')}`).join(', ');
    if (problems > 0)
      return failed(
        `${databaseLabel(database)}: ${problems} ${problems === 1 ? 'inconsistency' : 'inconsistencies'}`,
      );
    print(`${printable(databaseLabel(database))} is consistent: ${text || 'it is empty'}`);
    return 0;
  } finally {
    await store.close();
  }
}

function configured(rest: string[]): [database: string, name: string] {
  const { settings } = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  return databaseOf(settings.chat_history);
}

function databaseOf(options: Settings['chat_history']): [database: string, name: string] {
  return options.database_type === 'sqlite'
    ? [options.database_path, 'chat_history.database_path']
    : [options.connection_string ?? '', 'chat_history.connection_string'];
}
