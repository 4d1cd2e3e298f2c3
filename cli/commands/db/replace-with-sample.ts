/** `skein db seed --force`: replaces a database that Skein created with sample data, and keeps a copy. */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createSampleDatabase } from '../../../tools/sql/sample/create.ts';
import { resolveLinks } from '../../../tools/sql/sample/database-path.ts';
import { failed } from '../../terminal/plain-errors.ts';
import { isMadeBySkein } from './made-by-skein.ts';
import { changeDatabase } from './replace-database.ts';

export interface Replaced {
  /** Path of the old database's copy, if one existed. */
  copy: string | undefined;
}

/** Returns undefined if it failed; the reason has been printed. */
export async function replaceWithSample(path: string): Promise<Replaced | undefined> {
  const copy = `${resolveLinks(path)}.${new Date().toISOString().replaceAll(':', '-')}.bak`;
  let isCopied = false;
  let isDone = false;
  try {
    isDone = await changeDatabase(path, async (draft) => {
      // The draft starts as a copy of the existing database.
      if (existsSync(draft)) {
        if (!(await isMade(path, draft))) return false;
        isCopied = true;
        for (const ending of ['.wal', ''])
          if (existsSync(draft + ending)) await rename(draft + ending, copy + ending);
      }
      return createSampleDatabase(draft);
    });
  } finally {
    if (isCopied && !isDone) for (const ending of ['.wal', '']) await rm(copy + ending, { force: true });
  }
  return isDone ? { copy: isCopied ? copy : undefined } : undefined;
}

async function isMade(path: string, draft: string): Promise<boolean> {
  const spare = `${draft}.sample`;
  try {
    if (await isMadeBySkein(draft, spare)) return true;
  } finally {
    await rm(spare, { force: true });
  }
  failed(
    `${path}: Skein did not create this database and does not replace it. Move the file, or change local_sql_db.database_path.`,
  );
  return false;
}
