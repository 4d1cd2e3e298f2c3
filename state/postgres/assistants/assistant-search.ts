/** Searches an owner's assistants together with others that are not stored. */

import type { AssistantRow } from '../../driver/assistant-rows.ts';
import type { AssistantSearch, StoredAssistant } from '../../resources/assistants.ts';
import { type Database, document } from '../database/database.ts';
import { hasFields, type Parameters, parameters } from '../database/parameters.ts';
import { storedColumns } from './stored-columns.ts';

// `place` sorts assistants that are equal otherwise: the newest first, then those that are not stored, in their order.
const FOUND = `WITH found AS (
  SELECT a.assistant_id, a.version, a.created_at, a.updated_at, a.key AS place,
    v.graph, v.name, v.folded_name, v.description, v.config, v.context, v.metadata
  FROM skein.assistants AS a
  JOIN skein.assistant_versions AS v ON v.assistant = a.key AND v.version = a.version
  WHERE a.owner = $1
  UNION ALL
  SELECT o ->> 'assistant_id', (o ->> 'version')::integer, (o ->> 'created_at')::bigint,
    (o ->> 'updated_at')::bigint, 1 - place,
    o ->> 'graph', o ->> 'name', o ->> 'folded_name', o ->> 'description',
    o ->> 'config', o ->> 'context', o ->> 'metadata'
  FROM jsonb_array_elements($2::text::jsonb) WITH ORDINALITY AS others (o, place)
  WHERE NOT EXISTS (SELECT FROM skein.assistants WHERE owner = $1 AND assistant_id = o ->> 'assistant_id')
)`;

const ORDERS: Record<AssistantSearch['sortBy'], string> = {
  assistant_id: 'assistant_id COLLATE "C"',
  graph_id: 'graph COLLATE "C"',
  name: 'folded_name COLLATE "C"',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

export async function assistantSearch(
  database: Database,
  search: AssistantSearch,
): Promise<{ rows: AssistantRow[]; total: number }> {
  const { sortBy, descending, limit, offset } = search;
  const given = parameters(search.owner, document(search.others.map(rowOf)));
  const where = conditions(search, given);
  const from = `FROM found ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}`;
  const direction = descending ? 'DESC' : 'ASC';
  const order = `ORDER BY ${ORDERS[sortBy]} ${direction}, place ${direction}`;
  const count = given.values.length;
  const [rows, counted] = await Promise.all([
    database.all<AssistantRow>(
      `${FOUND} SELECT * ${from} ${order} LIMIT $${count + 1} OFFSET $${count + 2}`,
      ...given.values,
      limit,
      offset,
    ),
    database.get<{ total: number }>(`${FOUND} SELECT count(*) AS total ${from}`, ...given.values),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

function conditions({ metadata, graph, name }: AssistantSearch, given: Parameters): string[] {
  const where = hasFields('metadata', metadata, given);
  if (graph !== undefined) where.push(`graph = ${given.add(graph)}`);
  if (name !== undefined) where.push(`strpos(folded_name, ${given.add(name.toLowerCase())}) > 0`);
  return where;
}

function rowOf(assistant: StoredAssistant): AssistantRow {
  const { assistantId, version, createdAt, updatedAt } = assistant;
  return {
    ...storedColumns(assistant),
    ...{ assistant_id: assistantId, version, created_at: createdAt, updated_at: updatedAt },
  };
}
