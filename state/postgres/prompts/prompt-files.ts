/** Prompt files on PostgreSQL. */
import type { NewPrompt, PromptFiles, PromptKey, StoredPrompt } from '../../resources/prompt-files.ts';
import { announcements } from '../announcements.ts';
import type { Database } from '../database/database.ts';

interface Row {
  version: number;
  created_at: number;
  author: string | null;
  size: number;
}

const COLUMNS = 'version, created_at, author, octet_length(content) AS size';

export function promptFiles(database: Database): PromptFiles {
  const changes = announcements(database, 'prompt');

  return {
    keys: () => database.all<PromptKey>('SELECT revision, file FROM skein.prompt_files'),
    async read({ revision, file }, { mostBytes, version }) {
      const columns = `${COLUMNS}, CASE WHEN octet_length(content) <= $3 THEN content END AS content`;
      const from = version === undefined ? 'prompt_files' : 'prompt_versions';
      const row = await database.get<Row & { content: Uint8Array | null }>(
        `SELECT ${columns} FROM skein.${from} WHERE revision = $1 AND file = $2
           ${version === undefined ? '' : 'AND version = $4'}`,
        ...[revision, file, mostBytes, ...(version === undefined ? [] : [version])],
      );
      return row && { ...stored(row), content: row.content };
    },
    async earlier({ revision, file }) {
      const rows = await database.all<Row>(
        `SELECT ${COLUMNS} FROM skein.prompt_versions WHERE revision = $1 AND file = $2 ORDER BY version DESC`,
        ...[revision, file],
      );
      return rows.map(stored);
    },
    async replace(key, version, prompt) {
      const row = await replaced(database, key, { version, ...prompt });
      if (!row) return undefined;
      changes.announce();
      return stored(row);
    },
    async change() {
      const row = await database.get<{ change: number }>('SELECT change FROM skein.prompt_changes');
      return row?.change ?? 0;
    },
    watch: changes.watch,
  };
}

function replaced(
  database: Database,
  { revision, file }: PromptKey,
  { version, content, author, createdAt }: NewPrompt & { version: number | undefined },
): Promise<Row | undefined> {
  const values = [revision, file, content, author, createdAt];
  if (version === undefined)
    return database.get<Row>(
      `INSERT INTO skein.prompt_files (revision, file, content, author, created_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (revision, file) DO NOTHING RETURNING ${COLUMNS}`,
      ...values,
    );
  return database.get<Row>(
    `UPDATE skein.prompt_files SET content = $3, author = $4, created_at = $5, version = version + 1
     WHERE revision = $1 AND file = $2 AND version = $6 RETURNING ${COLUMNS}`,
    ...[...values, version],
  );
}

function stored({ version, created_at, author, size }: Row): StoredPrompt {
  return { version, createdAt: created_at, author, size };
}
