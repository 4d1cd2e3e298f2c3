/** `skein db seed --force`: sample data in the place of a database that Skein made, of which a copy is kept. */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createSampleDatabase } from '../graphs/tools/sql/sample/create.ts';
import { realPlace } from '../graphs/tools/sql/sample/place.ts';
import { isMadeBySkein } from './made-by-skein.ts';
import { failed } from './plain-errors.ts';
import { changeDatabase } from './replace-database.ts';

export interface Replaced {
  /** The old database's, where there was one. */
  copy: string | undefined;
}

/** Undefined where it failed, and that was said. */
export async function replaceWithSample(path: string): Promise<Replaced | undefined> {
  const copy = `${realPlace(path)}.${new Date().toISOString().replaceAll(':', '-')}.bak`;
  let isKept = false;
  let isDone = false;
  try {
    isDone = await changeDatabase(path, async (draft) => {
      // The draft is a copy of the database that is there.
      if (existsSync(draft)) {
        if (!(await isMade(path, draft))) return false;
        isKept = true;
        for (const ending of ['.wal', ''])
          if (existsSync(draft + ending)) await rename(draft + ending, copy + ending);
      }
      return createSampleDatabase(draft);
    });
  } finally {
    if (isKept && !isDone) for (const ending of ['.wal', '']) await rm(copy + ending, { force: true });
  }
  return isDone ? { copy: isKept ? copy : undefined } : undefined;
}

async function isMade(path: string, draft: string): Promise<boolean> {
  const spare = `${draft}.sample`;
  try {
    if (await isMadeBySkein(draft, spare)) return true;
  } finally {
    await rm(spare, { force: true });
  }
  failed(
    `${path}: Skein did not make this database, so it is not replaced. Move the file away, or set local_sql_db.database_path to another.`,
  );
  return false;
}
