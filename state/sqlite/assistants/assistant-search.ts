/** Searches an owner's assistants together with others that are not stored. */
import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { type AssistantRow, contentColumns } from '../../driver/assistant-rows.ts';
import type { AssistantSearch, StoredAssistant } from '../../resources/assistants.ts';
import { metadataConditions } from '../metadata-conditions.ts';

// `place` sorts assistants that are equal otherwise: the newest first, then those that are not stored, in their order.
const FOUND = `WITH found AS (
  SELECT a.assistant_id, a.version, a.created_at, a.updated_at, a.key AS place,
    v.graph, v.name, v.folded_name, v.description, v.config, v.context, v.metadata
  FROM assistants AS a JOIN assistant_versions AS v ON v.assistant = a.key AND v.version = a.version
  WHERE a.owner = ?1
  UNION ALL
  SELECT value ->> 'assistant_id', value ->> 'version', value ->> 'created_at', value ->> 'updated_at', -key,
    value ->> 'graph', value ->> 'name', value ->> 'folded_name', value ->> 'description',
    value ->> 'config', value ->> 'context', value ->> 'metadata'
  FROM json_each(?2)
  WHERE value ->> 'assistant_id' NOT IN (SELECT assistant_id FROM assistants WHERE owner = ?1)
)`;

const ORDERS: Record<AssistantSearch['sortBy'], string> = {
  assistant_id: 'assistant_id',
  graph_id: 'graph',
  name: 'folded_name',
  created_at: 'created_at',
  updated_at: 'updated_at',
};

export function assistantSearch(
  db: Database,
  search: AssistantSearch,
): { rows: AssistantRow[]; total: number } {
  const { sortBy, descending, limit, offset } = search;
  const { where, values } = conditions(search);
  const bound = [search.owner, JSON.stringify(search.others.map(rowOf)), ...values];
  const from = `FROM found ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''}`;
  const direction = descending ? 'DESC' : 'ASC';
  const counted = db.query<{ total: number }, SQLQueryBindings[]>(
    `${FOUND} SELECT count(*) AS total ${from}`,
  );
  const found = db.query<AssistantRow, SQLQueryBindings[]>(
    `${FOUND} SELECT * ${from} ORDER BY ${ORDERS[sortBy]} ${direction}, place ${direction} LIMIT ? OFFSET ?`,
  );
  return { rows: found.all(...bound, limit, offset), total: counted.get(...bound)?.total ?? 0 };
}

function conditions({ metadata, graph, name }: AssistantSearch) {
  const { where, values } = metadataConditions('metadata', metadata);
  if (graph !== undefined) {
    where.push('graph = ?');
    values.push(graph);
  }
  if (name !== undefined) {
    where.push('instr(folded_name, ?) > 0');
    values.push(name.toLowerCase());
  }
  return { where, values };
}

function rowOf(assistant: StoredAssistant): AssistantRow {
  const { assistantId, version, createdAt, updatedAt } = assistant;
  return {
    ...contentColumns(assistant),
    ...{ assistant_id: assistantId, version, created_at: createdAt, updated_at: updatedAt },
  };
}
