/** Statements for assistants. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { AssistantRow, contentColumns, VersionRow } from '../../driver/assistant-rows.ts';
import type { VersionPage } from '../../resources/assistants.ts';
import { metadataConditions } from '../metadata-conditions.ts';

type NewVersion = { key: number; version: number; at: number } & ReturnType<typeof contentColumns>;

export function assistantStatements(db: Database) {
  return {
    create: db.query<{ key: number }, [owner: string, id: string, at: number]>(
      `INSERT INTO assistants (owner, assistant_id, version, created_at, updated_at) VALUES (?1, ?2, 1, ?3, ?3)
       ON CONFLICT (owner, assistant_id) DO NOTHING RETURNING key`,
    ),
    addVersion: db.query<unknown, NewVersion>(
      `INSERT INTO assistant_versions
         (assistant, version, graph, name, folded_name, description, config, context, metadata, created_at)
       VALUES ($key, $version, $graph, $name, $folded_name, $description, $config, $context, $metadata, $at)`,
    ),
    find: db.query<AssistantRow & { key: number }, [owner: string, id: string]>(
      `SELECT v.*, a.key, a.assistant_id, a.created_at, a.updated_at
       FROM assistants AS a JOIN assistant_versions AS v ON v.assistant = a.key AND v.version = a.version
       WHERE a.owner = ? AND a.assistant_id = ?`,
    ),
    any: db.query('SELECT 1 FROM assistants LIMIT 1'),
    newest: db.query<{ version: number }, [key: number]>(
      'SELECT max(version) AS version FROM assistant_versions WHERE assistant = ?',
    ),
    version: db.query<unknown, [key: number, version: number]>(
      'SELECT 1 FROM assistant_versions WHERE assistant = ? AND version = ?',
    ),
    setVersion: db.query<unknown, [version: number, at: number, key: number]>(
      'UPDATE assistants SET version = ?, updated_at = ? WHERE key = ?',
    ),
    remove: db.query<unknown, [owner: string, id: string]>(
      'DELETE FROM assistants WHERE owner = ? AND assistant_id = ?',
    ),
  };
}

export function versionsOf(
  db: Database,
  key: number,
  { metadata, limit, offset }: VersionPage,
): VersionRow[] {
  const { where, values } = metadataConditions('metadata', metadata);
  const condition = ['assistant = ?', ...where].join(' AND ');
  return db
    .query<VersionRow, SQLQueryBindings[]>(
      `SELECT * FROM assistant_versions WHERE ${condition} ORDER BY version DESC LIMIT ? OFFSET ?`,
    )
    .all(key, ...values, limit, offset);
}
