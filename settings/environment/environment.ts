/** Reads settings from environment variables: `SERVICE_<BLOCK>__<FIELD>` and those with special names. */
import { addressOf } from '../../tools/knowledge/storage/address.ts';
import { STORAGE_VARIABLES } from '../../tools/knowledge/storage/options.ts';
import type { Assignment } from '../assign.ts';
import { Settings } from '../schema.ts';
import type { Mapping, Sourced } from '../sourced.ts';
import type { Variables } from './variables.ts';

/** In the order of application: WEB_PORT overrides SERVICE_WEB_CONFIGURATION__PORT. */
export function environmentAssignments(variables: Variables): Assignment[] {
  const inOrder = new Intl.Collator('en', { numeric: true });
  const general = [...variables]
    .map(([name, variable]) => ({ name, keys: keysOf(name), ...variable }))
    .filter(({ keys }) => keys.length > 0)
    .sort((a, b) => inOrder.compare(a.name, b.name));
  return [...general, ...named(variables, PLAIN)];
}

/** The credentials of the cloud database, if one is configured. They don't configure one by themselves. */
export function sqlAssignments(root: Sourced, variables: Variables): Assignment[] {
  const block = root.kind === 'mapping' ? root.fields.get('cloud_sql') : undefined;
  if (block?.kind !== 'mapping') return [];
  const database = block.fields.get('database_name');
  const isLocal = database?.kind === 'leaf' && database.value === 'skip';
  return isLocal ? [] : named(variables, SQL);
}

/** DATABASE_URL, if the type is PostgreSQL and there is no connection string. Otherwise, it may belong to another program. */
export function databaseAssignments({ fields }: Mapping, variables: Variables): Assignment[] {
  const block = fields.get('chat_history');
  const written = block?.kind === 'mapping' ? block.fields : new Map<string, Sourced>();
  const type = written.get('database_type');
  if (type?.kind !== 'leaf' || type.value !== 'postgresql' || written.has('connection_string')) return [];
  return named(variables, DATABASE);
}

/** Variables that are read elsewhere: they select the files to read, or belong to the models. */
const OTHERS = [
  ...['SERVICE_PROJECT_PATH', 'SERVICE_PROFILE_PATH'],
  ...['LLM_PROVIDER_API_KEY', 'LLM_PROVIDER_BASE_URL', 'LLM_PROVIDER_MODEL', 'LLM_PROVIDER_EMBEDDING_MODEL'],
];
/** The standard variables of an object store's tools, if an address is in that store and no setting has the credentials. */
export function storageAssignments({ fields }: Mapping, variables: Variables): Assignment[] {
  const block = fields.get('knowledge_base');
  if (block?.kind !== 'mapping') return [];
  const addresses = ['documents_path', 'index_path'].map((name) => {
    const leaf = block.fields.get(name);
    return leaf?.kind === 'leaf' ? addressOf(String(leaf.value)) : undefined;
  });
  const taken = new Set<string>();
  return addresses.flatMap((address) =>
    (address ? STORAGE_VARIABLES[address.scheme] : []).flatMap(([name, keys]) => {
      const found = named(variables, { [name]: ['knowledge_base', ...keys] });
      if (found.length === 0 || taken.has(keys.join()) || isWritten(block, keys)) return [];
      taken.add(keys.join());
      return found;
    }),
  );
}

function isWritten(block: Mapping, [name = '', ...rest]: readonly string[]): boolean {
  const field = block.fields.get(name);
  if (rest.length === 0 || field === undefined) return field !== undefined;
  return field.kind === 'mapping' && isWritten(field, rest);
}

const PLAIN = {
  WEB_PORT: ['web_configuration', 'port'],
  SERVICE_PROFILE: ['profile'],
  SERVICE_LANGGRAPH_CONFIG: ['langgraph', 'config'],
};
const DATABASE = { DATABASE_URL: ['chat_history', 'connection_string'] };
const SQL = { SQL_USERNAME: ['cloud_sql', 'username'], SQL_PASSWORD: ['cloud_sql', 'password'] };

/** The variables with special names. */
export const PLAIN_VARIABLES = [...OTHERS, ...[PLAIN, SQL, DATABASE].flatMap(Object.keys)];

/** Whether a variable of this name is read. */
export function isRead(name: string): boolean {
  return PLAIN_VARIABLES.includes(name) || keysOf(name).length > 0;
}

function named(variables: Variables, keysByName: Record<string, string[]>): Assignment[] {
  return Object.entries(keysByName).flatMap(([name, keys]) => {
    const variable = variables.get(name);
    return variable ? [{ keys, ...variable }] : [];
  });
}

/**
 * The path that a SERVICE_ variable names, including unknown keys, which validation rejects later; empty for other variables.
 * Without `__`, only whole blocks count: Kubernetes sets variables such as SERVICE_HOST.
 */
function keysOf(name: string): string[] {
  const [block = '', ...fields] = name
    .replace(/^SERVICE_/i, '')
    .toLowerCase()
    .split('__');
  if (!/^SERVICE_/i.test(name) || block === 'profile') return [];
  if (fields.length === 0) return Object.hasOwn(Settings.properties, block) ? [block] : [];
  const [workflow = '', ...rest] = fields;
  return block === 'workflows' ? [block, workflow.replaceAll('_', '-'), ...rest] : [block, ...fields];
}
