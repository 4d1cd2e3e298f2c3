/** `skein db`: makes, fills and shows the local database that the SQL workflow asks. */
import { existsSync } from 'node:fs';
import { createSampleDatabase, replaceWithSample } from '../graphs/tools/sql/sample/create.ts';
import { parseFlags } from '../settings/flags.ts';
import { loadSettings } from '../settings/load.ts';
import { configurationError } from '../state/errors.ts';
import { importFile } from './db-import.ts';
import { openDuckDB } from './duckdb-file.ts';
import { type OwnFlag, takeFlags } from './own-flags.ts';

const USAGE = 'seed [--force], import FILE [--table NAME] [--replace], or tables';

/** Gives the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function dbCommand([action = '', ...argv]: string[]): Promise<number> {
  const command = COMMANDS[action];
  if (!command) throw configurationError('arguments', `expected ${USAGE}, as in skein db tables`);
  const { own, words, rest } = takeFlags(argv, command.flags);
  if (words.length !== command.words) throw configurationError('arguments', `expected ${command.usage}`);
  const { settings } = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(rest) });
  return command.run(settings.local_sql_db.database_path, own, words);
}

interface Command {
  usage: string;
  flags: readonly OwnFlag[];
  /** How many arguments without dashes it takes. */
  words: number;
  run(path: string, own: Map<string, string>, words: readonly string[]): Promise<number>;
}

const COMMANDS: Record<string, Command> = {
  seed: { usage: 'skein db seed [--force]', flags: [{ name: '--force' }], words: 0, run: seed },
  import: {
    usage: 'skein db import FILE [--table NAME] [--replace]',
    flags: [{ name: '--table', takes: 'sales' }, { name: '--replace' }],
    words: 1,
    run: (path, own, [file = '']) =>
      importFile(path, { file, table: own.get('--table'), replace: own.has('--replace') }),
  },
  tables: { usage: 'skein db tables', flags: [], words: 0, run: showTables },
};

async function seed(path: string, own: Map<string, string>): Promise<number> {
  if (own.has('--force')) await replaceWithSample(path);
  else if (!(await createSampleDatabase(path))) {
    console.error(`${path} is there already; skein db seed --force replaces it with the sample data`);
    return 1;
  }
  console.log(`${path} now holds the sample data`);
  return showTables(path);
}

async function showTables(path: string): Promise<number> {
  if (!existsSync(path)) {
    console.error(
      `${path}: there is no such file; skein db seed makes it with sample data, skein db import fills it`,
    );
    return 1;
  }
  const database = await openDuckDB(path, 'READ_ONLY').catch((error) => `${path}: ${reasonOf(error)}`);
  if (typeof database === 'string') {
    console.error(database);
    return 1;
  }
  try {
    const tables = await database.tables();
    for (const { name, rows, columns } of tables) {
      console.log(`${name} (${rows} rows)`);
      const width = Math.max(...columns.map((column) => column.name.length));
      for (const column of columns) console.log(`  ${column.name.padEnd(width)}  ${column.type}`);
    }
    if (tables.length === 0) console.log(`${path} has no tables`);
    return 0;
  } finally {
    database.close();
  }
}

export function reasonOf(error: unknown): string {
  const [line = ''] = error instanceof Error ? error.message.split('\n') : [String(error)];
  return /lock/i.test(line) ? 'another process uses this file; stop it first' : line;
}
