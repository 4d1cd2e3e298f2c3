/** Completes the list of models: joins a profile's entries with those of config.yml, and adds the LLM_PROVIDER variables. */
import type { Problem } from '../state/schema/check-options.ts';
import type { Variable, Variables } from './environment/variables.ts';
import { type List, type Mapping, merge, type Origin, type Sourced, sourced, withField } from './sourced.ts';

const OPENAI = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'gpt-4o-mini';

/** Entries of the same model are merged field by field; the others are appended. */
export function joinModels(below: Sourced | undefined, above: Sourced): Sourced {
  if (below?.kind !== 'list' || above.kind !== 'list') return above;
  const items = [...below.items];
  for (const entry of above.items) {
    const model = textOf(entry, 'model');
    const index = items.findIndex((item) => model !== undefined && textOf(item, 'model') === model);
    if (index < 0) items.push(entry);
    else items[index] = merge(items[index], entry);
  }
  return { kind: 'list', items, origin: above.origin };
}

/** Adds the endpoint to each model, and moves the models that the environment names to the front of their role. */
export function withProvider(root: Mapping, variables: Variables): { root: Mapping; problems: Problem[] } {
  // If it is not a list, the schema rejects it.
  if (root.fields.has('models') && root.fields.get('models')?.kind !== 'list') return { root, problems: [] };
  const list = modelsOf(root);
  const wanted = wantedModels(list.items, variables);
  const missing = wanted.filter((model) => !list.items.some((entry) => isModel(entry, model)));
  const entries = [...list.items, ...missing.map(newEntry)].map((entry) => connected(entry, variables));
  const isWanted = (entry: Sourced) => wanted.some((model) => isModel(entry, model));
  const items = [...entries.filter(isWanted), ...entries.filter((entry) => !isWanted(entry))];
  return {
    root: withField(root, 'models', { ...list, items }),
    // Uses the order before the move, so that an index in an error matches the file.
    problems: entries.flatMap(connectionProblem),
  };
}

interface WantedModel {
  role: 'chat' | 'embedding';
  model: string;
  origin: Origin;
}

function wantedModels(listed: readonly Sourced[], variables: Variables): WantedModel[] {
  const chat = variables.get('LLM_PROVIDER_MODEL') ?? defaultChatModel(listed, variables);
  const embedding = variables.get('LLM_PROVIDER_EMBEDDING_MODEL');
  return [...wantedModel('chat', chat), ...wantedModel('embedding', embedding)];
}

function wantedModel(role: WantedModel['role'], variable: Variable | undefined): WantedModel[] {
  return variable ? [{ role, model: variable.text, origin: variable.origin }] : [];
}

function defaultChatModel(listed: readonly Sourced[], variables: Variables): Variable | undefined {
  const provider = variables.get('LLM_PROVIDER_API_KEY') ?? variables.get('LLM_PROVIDER_BASE_URL');
  if (!provider || listed.some((entry) => roleOf(entry) === 'chat')) return undefined;
  return { text: DEFAULT_MODEL, origin: { ...provider.origin, source: 'default' } };
}

function newEntry({ role, model, origin }: WantedModel): Sourced {
  return sourced({ model, role }, origin);
}

/**
 * Adds the provider's key and endpoint to an entry that lacks them. The key is only sent to the provider's endpoint, so an
 * entry with another `base_url` needs its own `api_key`, or has none.
 */
function connected(entry: Sourced, variables: Variables): Sourced {
  if (entry.kind !== 'mapping') return entry;
  const endpoint = variables.get('LLM_PROVIDER_BASE_URL');
  const own = textOf(entry, 'base_url');
  const isProvider = own === undefined || own === endpoint?.text;
  const keyed = isProvider ? filled(entry, 'api_key', variables.get('LLM_PROVIDER_API_KEY')) : entry;
  const located = filled(keyed, 'base_url', endpoint);
  if (!located.fields.has('api_key')) return located;
  return filled(located, 'base_url', { text: OPENAI, origin: { ...entry.origin, source: 'default' } });
}

function filled(entry: Mapping, key: string, variable: Variable | undefined): Mapping {
  if (variable === undefined || entry.fields.has(key)) return entry;
  return withField(entry, key, sourced(variable.text, variable.origin));
}

function connectionProblem(entry: Sourced, index: number): Problem[] {
  if (entry.kind !== 'mapping' || entry.fields.has('base_url')) return [];
  const reason = 'missing; set LLM_PROVIDER_API_KEY, or the api_key or base_url of this model';
  return [{ path: `models[${index}].api_key`, reason: `${reason} (${entry.origin.source})` }];
}

function modelsOf(root: Mapping): List {
  const models = root.fields.get('models');
  return models?.kind === 'list'
    ? models
    : { kind: 'list', items: [], origin: { source: 'default', folder: '' } };
}

function isModel(entry: Sourced, { role, model }: WantedModel): boolean {
  return roleOf(entry) === role && textOf(entry, 'model') === model;
}

function roleOf(entry: Sourced): string {
  return textOf(entry, 'role') ?? 'chat';
}

function textOf(entry: Sourced, key: string): string | undefined {
  const field = entry.kind === 'mapping' ? entry.fields.get(key) : undefined;
  return field?.kind === 'leaf' && typeof field.value === 'string' ? field.value : undefined;
}
