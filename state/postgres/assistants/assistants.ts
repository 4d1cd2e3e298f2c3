/** Assistants on PostgreSQL. */

import { type AssistantRow, toAssistant, toVersion, type VersionRow } from '../../driver/assistant-rows.ts';
import type { AssistantStore } from '../../resources/assistants.ts';
import type { Database, Statements } from '../database/database.ts';
import { hasFields, parameters } from '../database/parameters.ts';
import { assistantSearch } from './assistant-search.ts';
import { CONTENT_COLUMNS, contentValues } from './stored-columns.ts';

const FIND = `SELECT v.version, v.graph, v.name, v.folded_name, v.description, v.config, v.context, v.metadata,
    a.assistant_id, a.created_at, a.updated_at
  FROM skein.assistants AS a
  JOIN skein.assistant_versions AS v ON v.assistant = a.key AND v.version = a.version
  WHERE a.owner = $1 AND a.assistant_id = $2`;

const CREATE = `WITH made AS (
    INSERT INTO skein.assistants (owner, assistant_id, version, created_at, updated_at)
    VALUES ($1, $2, 1, $3, $3) ON CONFLICT (owner, assistant_id) DO NOTHING RETURNING key, created_at)
  INSERT INTO skein.assistant_versions (assistant, version, created_at, ${CONTENT_COLUMNS})
  SELECT key, 1, created_at, $4, $5, $6, $7, $8, $9, $10 FROM made`;

const ADD_VERSION = `WITH made AS (
    INSERT INTO skein.assistant_versions (assistant, version, created_at, ${CONTENT_COLUMNS})
    SELECT $1, 1 + max(version), $2, $3, $4, $5, $6, $7, $8, $9
    FROM skein.assistant_versions WHERE assistant = $1 RETURNING assistant, version, created_at)
  UPDATE skein.assistants SET version = made.version, updated_at = made.created_at
  FROM made WHERE key = made.assistant RETURNING made.version`;

export function assistants(database: Database): AssistantStore {
  async function current(on: Statements, owner: string, assistantId: string) {
    const row = await on.get<AssistantRow>(FIND, owner, assistantId);
    return row && toAssistant(row);
  }

  return {
    create: async (owner, assistantId, content, at) =>
      (await database.run(CREATE, owner, assistantId, at, ...contentValues(content))) > 0,
    find: (owner, assistantId) => current(database, owner, assistantId),
    async search(search) {
      const { rows, total } = await assistantSearch(database, search);
      return { items: rows.map(toAssistant), total };
    },
    change: (owner, assistantId, change, at) =>
      database.transaction(async (tx) => {
        // A separate statement: after waiting for the lock, a single statement would still read the old version.
        const locked = await tx.get<{ key: number }>(
          'SELECT key FROM skein.assistants WHERE owner = $1 AND assistant_id = $2 FOR NO KEY UPDATE',
          owner,
          assistantId,
        );
        const before = locked && (await current(tx, owner, assistantId));
        if (!before) return undefined;
        const changed = { ...before, ...change, metadata: { ...before.metadata, ...change.metadata } };
        const created = await tx.get<{ version: number }>(
          ADD_VERSION,
          locked.key,
          at,
          ...contentValues(changed),
        );
        if (!created) throw new Error('A version that was just inserted does not exist');
        return { ...changed, version: created.version, updatedAt: at };
      }),
    async versions(owner, assistantId, { metadata, limit, offset }) {
      const given = parameters(owner, assistantId, limit, offset);
      const where = hasFields('v.metadata', metadata, given);
      const rows = await database.all<VersionRow>(
        `SELECT v.* FROM skein.assistant_versions AS v JOIN skein.assistants AS a ON a.key = v.assistant
         WHERE ${['a.owner = $1 AND a.assistant_id = $2', ...where].join(' AND ')}
         ORDER BY v.version DESC LIMIT $3 OFFSET $4`,
        ...given.values,
      );
      return rows.map((row) => toVersion(assistantId, row));
    },
    setVersion: async (owner, assistantId, version, at) =>
      (await database.run(
        `UPDATE skein.assistants AS a SET version = $3, updated_at = $4 WHERE owner = $1 AND assistant_id = $2
           AND EXISTS (SELECT FROM skein.assistant_versions WHERE assistant = a.key AND version = $3)`,
        owner,
        assistantId,
        version,
        at,
      )) > 0,
    remove: async (owner, assistantId) =>
      (await database.run(
        'DELETE FROM skein.assistants WHERE owner = $1 AND assistant_id = $2',
        owner,
        assistantId,
      )) > 0,
  };
}
