/** Reads settings out of environment variables: `SERVICE_<BLOCK>__<FIELD>` and the plain ones. */
import type { Assignment } from './assign.ts';
import { Settings } from './schema.ts';
import type { Mapping, Sourced } from './sourced.ts';
import type { Variables } from './variables.ts';

/** In the order in which they are applied: WEB_PORT wins over SERVICE_WEB_CONFIGURATION__PORT. */
export function environmentAssignments(variables: Variables): Assignment[] {
  const inOrder = new Intl.Collator('en', { numeric: true });
  const general = [...variables]
    .map(([name, variable]) => ({ name, place: placeOf(name), ...variable }))
    .filter(({ place }) => place.length > 0)
    .sort((a, b) => inOrder.compare(a.name, b.name));
  return [...general, ...named(variables, PLAIN)];
}

/** The credentials of the cloud database, where there is one: they never bring the block into being. */
export function sqlAssignments(root: Sourced, variables: Variables): Assignment[] {
  const block = root.kind === 'mapping' ? root.fields.get('cloud_sql') : undefined;
  if (block?.kind !== 'mapping') return [];
  const database = block.fields.get('database_name');
  const isLocal = database?.kind === 'leaf' && database.value === 'skip';
  return isLocal ? [] : named(variables, SQL);
}

/** DATABASE_URL, where the database is PostgreSQL and nothing else says which: it may be meant for another program. */
export function databaseAssignments({ fields }: Mapping, variables: Variables): Assignment[] {
  const block = fields.get('chat_history');
  const written = block?.kind === 'mapping' ? block.fields : new Map<string, Sourced>();
  const type = written.get('database_type');
  if (type?.kind !== 'leaf' || type.value !== 'postgresql' || written.has('connection_string')) return [];
  return named(variables, { DATABASE_URL: ['chat_history', 'connection_string'] });
}

const PLAIN = {
  WEB_PORT: ['web_configuration', 'port'],
  SERVICE_PROFILE: ['profile'],
  SERVICE_LANGGRAPH_CONFIG: ['langgraph', 'config'],
};
const SQL = { SQL_USERNAME: ['cloud_sql', 'username'], SQL_PASSWORD: ['cloud_sql', 'password'] };

function named(variables: Variables, places: Record<string, string[]>): Assignment[] {
  return Object.entries(places).flatMap(([name, place]) => {
    const variable = variables.get(name);
    return variable ? [{ place, ...variable }] : [];
  });
}

/**
 * The place that a SERVICE_ variable names, unknown keys included so that the check can refuse them; empty for other
 * variables. Without a `__` only whole blocks count: Kubernetes sets SERVICE_HOST and the like by itself.
 */
function placeOf(name: string): string[] {
  const [block = '', ...fields] = name
    .replace(/^SERVICE_/i, '')
    .toLowerCase()
    .split('__');
  if (!/^SERVICE_/i.test(name) || block === 'profile') return [];
  if (fields.length === 0) return Object.hasOwn(Settings.properties, block) ? [block] : [];
  const [workflow = '', ...rest] = fields;
  return block === 'workflows' ? [block, workflow.replaceAll('_', '-'), ...rest] : [block, ...fields];
}
