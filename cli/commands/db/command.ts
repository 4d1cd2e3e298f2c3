/** `skein db`: creates, fills and shows the local database that the SQL workflow queries. */
import { existsSync, type Stats, statSync } from 'node:fs';
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import type { Settings } from '../../../settings/schema.ts';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import { createSampleDatabase } from '../../../tools/sql/sample/create.ts';
import { type OwnFlag, subcommand, takeFlags } from '../../terminal/own-flags.ts';
import { failed, printable, reasonOf } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import { dropTable } from './drop.ts';
import { type BaseTable, openDuckDB } from './duckdb-file.ts';
import { importFile } from './import.ts';
import { queryDatabase, queryRules } from './query.ts';
import { READ_FLAGS, readOptions } from './read-options.ts';
import { replaceWithSample } from './replace-with-sample.ts';

const USAGE =
  'seed [--force], import FILE [--table NAME] [--replace], drop TABLE, query SQL [--csv], or tables';

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function dbCommand([action = '', ...argv]: string[]): Promise<number> {
  const command = subcommand(COMMANDS, action);
  if (!command) throw configurationError('arguments', `expected ${USAGE}, as in skein db tables`);
  const { own, words, rest } = takeFlags(argv, command.flags);
  if (words.length !== command.words) throw configurationError('arguments', `expected ${command.usage}`);
  const { settings } = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  const path = settings.local_sql_db.database_path;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !found.isFile()) return failed(`${path}: expected a file, found ${kindOf(found)}`);
    return await command.run({ path, settings }, own, words);
  } catch (error) {
    if (error instanceof SkeinError) throw error;
    return failed(`${path}: ${reasonOf(error)}`);
  }
}

function kindOf(found: Stats): string {
  return found.isDirectory() ? 'a folder' : 'something else';
}

interface DatabaseFile {
  /** The database file. */
  path: string;
  settings: Settings;
}

interface Command {
  usage: string;
  flags: readonly OwnFlag[];
  /** The number of positional arguments. */
  words: number;
  run(database: DatabaseFile, own: Map<string, string>, words: readonly string[]): Promise<number>;
}

const COMMANDS: Record<string, Command> = {
  seed: { usage: 'skein db seed [--force]', flags: [{ name: '--force' }], words: 0, run: seed },
  import: {
    usage: 'skein db import FILE [--table NAME] [--replace]',
    flags: [{ name: '--table', takes: 'sales' }, { name: '--replace' }, ...READ_FLAGS],
    words: 1,
    run: ({ path }, own, [file = '']) =>
      importFile(path, {
        ...{ file, table: own.get('--table'), replace: own.has('--replace') },
        options: readOptions(own),
      }),
  },
  drop: {
    usage: 'skein db drop TABLE',
    flags: [],
    words: 1,
    run: ({ path }, _own, [table = '']) => dropTable(path, table),
  },
  query: {
    usage: 'skein db query SQL [--csv]',
    flags: [{ name: '--csv' }],
    words: 1,
    run: ({ path, settings }, own, [sql = '']) =>
      queryDatabase(path, { sql, csv: own.has('--csv'), rules: queryRules(settings) }),
  },
  tables: { usage: 'skein db tables', flags: [], words: 0, run: ({ path }) => showTables(path) },
};

async function seed({ path }: DatabaseFile, own: Map<string, string>): Promise<number> {
  if (own.has('--force')) {
    const replaced = await replaceWithSample(path);
    if (!replaced) return 1;
    if (replaced.copy) print(printable(`The previous database is kept as ${replaced.copy}`));
  } else if (!(await createSampleDatabase(path)))
    return failed(
      `${path} already exists; skein db seed --force replaces it if Skein created it, and keeps a copy`,
    );
  print(`${path} now holds the sample data`);
  return showTables(path);
}

async function showTables(path: string): Promise<number> {
  if (!existsSync(path))
    return failed(
      `${path}: file does not exist; "skein db seed" creates it with sample data, "skein db import" with yours`,
    );
  const database = await openDuckDB(path, { mode: 'READ_ONLY' });
  try {
    const tables = await database.tables();
    for (const table of tables) print(shown(table));
    if (tables.length === 0) print(`${path} has no tables`);
    return 0;
  } finally {
    database.close();
  }
}

function shown({ name, rows, columns }: BaseTable): string {
  const names = columns.map((column) => printable(column.name));
  const width = Math.max(...names.map((each) => each.length));
  const lines = columns.map(({ type }, index) => `  ${names[index]?.padEnd(width)}  ${printable(type)}`);
  return [`${printable(name)} (${rows} rows)`, ...lines].join('\n');
}
