/** The rules that hold between fields, which no schema of a single field can say. */
import { BUILT_IN_EMBEDDER, NO_EMBEDDER } from '../runtime/store-options.ts';
import type { Problem } from '../state/schema/check-options.ts';
import type { Settings } from './schema.ts';

export function crossCheck(settings: Settings): Problem[] {
  return [
    ...databaseProblems(settings),
    ...promptProblems(settings),
    ...authenticationProblems(settings),
    ...fallbackProblems(settings),
    ...embedderProblems(settings),
    ...repeatedNames(settings),
  ];
}

function databaseProblems({ chat_history, cluster }: Settings): Problem[] {
  const { database_type, connection_string } = chat_history;
  if (database_type === 'postgresql') {
    const reason = 'missing, database_type is postgresql and needs it; set DATABASE_URL';
    return connection_string ? [] : [{ path: 'chat_history.connection_string', reason }];
  }
  if (cluster.role === 'all') return [];
  const reason =
    'expected all, or chat_history.database_type: postgresql; one process alone has the file of sqlite';
  return [{ path: 'cluster.role', reason }];
}

function promptProblems({ prompts, chat_history }: Settings): Problem[] {
  if (prompts.storage !== 'postgresql' || chat_history.database_type === 'postgresql') return [];
  const reason = 'expected local or azure, or chat_history.database_type: postgresql';
  return [{ path: 'prompts.storage', reason }];
}

const MIN_SECRET_BYTES = 32;

function authenticationProblems(settings: Settings): Problem[] {
  const { enable, jwt_secret_key: secret, ...fields } = settings.web_configuration.authentication;
  if (!enable) return [];
  const missing = (['username', 'password'] as const).filter((field) => !fields[field]);
  const problems = missing.map((field) => authenticationProblem(field, 'missing'));
  if (!secret) problems.push(authenticationProblem('jwt_secret_key', 'missing'));
  else if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    problems.push(authenticationProblem('jwt_secret_key', `expected at least ${MIN_SECRET_BYTES} bytes`));
  }
  return problems;
}

function authenticationProblem(field: string, what: string): Problem {
  const variable = `SERVICE_WEB_CONFIGURATION__AUTHENTICATION__${field.toUpperCase()}`;
  return {
    path: `web_configuration.authentication.${field}`,
    reason: `${what}, authentication is enabled and needs it; set ${variable}`,
  };
}

function fallbackProblems({ models }: Settings): Problem[] {
  return models.flatMap((entry, index) => {
    const others = models.filter((other) => other.role === entry.role && other.model !== entry.model);
    const names = others.map(({ model }) => model);
    const unlisted = [...entry.fallbacks.entries()].filter(([, name]) => !names.includes(name));
    return unlisted.map(([position]) => ({
      path: `models[${index}].fallbacks[${position}]`,
      reason: `expected another listed ${entry.role} model, ${names.length > 0 ? `one of ${names.join(', ')}` : 'and there is none'}`,
    }));
  });
}

function embedderProblems({ models, store }: Settings): Problem[] {
  const embed = store.index?.embed;
  const embedding = models.filter(({ role }) => role === 'embedding').map(({ model }) => model);
  const known = [...embedding, BUILT_IN_EMBEDDER, NO_EMBEDDER];
  if (embed === undefined || known.includes(embed)) return [];
  const reason = `expected one of ${known.join(', ')}`;
  return [{ path: 'store.index.embed', reason }];
}

/** Names that are looked up must be unique, or one entry would silently hide another. */
function repeatedNames({ models, web_configuration }: Settings): Problem[] {
  const { username, users, api_keys } = web_configuration.authentication;
  const authentication = 'web_configuration.authentication';
  const userNames = [...(username ? [username] : []), ...users.map((user) => user.username)];
  const offset = username ? 1 : 0;
  return [
    ...repeated(models.map(({ role, model }) => `${role} ${model}`)).map((index) =>
      repeat(`models[${index}].model`),
    ),
    ...repeated(userNames).map((index) => repeat(`${authentication}.users[${index - offset}].username`)),
    ...repeated(api_keys.map(({ name }) => name)).map((index) =>
      repeat(`${authentication}.api_keys[${index}].name`),
    ),
  ];
}

function repeated(names: readonly string[]): number[] {
  return [...names.keys()].filter((index) => names.indexOf(names[index] ?? '') < index);
}

function repeat(path: string): Problem {
  return { path, reason: 'expected a name that is not used twice' };
}
