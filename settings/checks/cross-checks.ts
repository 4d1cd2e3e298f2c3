/** Rules between fields, which the schema of a single field cannot express. */
import { BUILT_IN_EMBEDDER, NO_EMBEDDER } from '../../runtime/store-options.ts';
import type { Problem } from '../../state/schema/check-options.ts';
import type { Settings } from '../schema.ts';
import { storageProblems } from './storage-checks.ts';

export function crossCheck(settings: Settings): Problem[] {
  return [
    ...databaseProblems(settings),
    ...promptProblems(settings),
    ...storageProblems(settings),
    ...authenticationProblems(settings),
    ...issuerProblems(settings),
    ...fallbackProblems(settings),
    ...embedderProblems(settings),
    ...budgetProblems(settings),
    ...repeatedNames(settings),
    ...mcpServerProblems(settings),
  ];
}

function databaseProblems({ chat_history, cluster }: Settings): Problem[] {
  const { database_type, connection_string } = chat_history;
  if (database_type === 'postgresql') {
    const reason = 'missing; database_type postgresql needs it. Set DATABASE_URL';
    return connection_string ? [] : [{ path: 'chat_history.connection_string', reason }];
  }
  if (cluster.role === 'all') return [];
  const reason =
    'must be all unless chat_history.database_type is postgresql: only one process can open an SQLite file';
  return [{ path: 'cluster.role', reason }];
}

function promptProblems({ prompts, chat_history }: Settings): Problem[] {
  if (prompts.storage !== 'postgresql' || chat_history.database_type === 'postgresql') return [];
  const reason = 'must be local or azure unless chat_history.database_type is postgresql';
  return [{ path: 'prompts.storage', reason }];
}

const MIN_SECRET_BYTES = 32;

function authenticationProblems(settings: Settings): Problem[] {
  const { enable, jwt_secret_key: secret, ...fields } = settings.web_configuration.authentication;
  const { oidc, users, username, password } = fields;
  // If the issuer manages all users, the service needs no login of its own.
  const hasLogin = username !== undefined || password !== undefined || users.length > 0;
  if (!enable || (oidc && !hasLogin)) return [];
  const missing = (['username', 'password'] as const).filter((field) => !fields[field]);
  const problems = missing.map((field) => authenticationProblem(field, 'missing'));
  if (!secret) problems.push(authenticationProblem('jwt_secret_key', 'missing'));
  else if (Buffer.byteLength(secret) < MIN_SECRET_BYTES) {
    problems.push(authenticationProblem('jwt_secret_key', `expected at least ${MIN_SECRET_BYTES} bytes`));
  }
  return problems;
}

function issuerProblems({ web_configuration }: Settings): Problem[] {
  const { oidc } = web_configuration.authentication;
  if (!oidc || URL.canParse(oidc.issuer)) return [];
  return [{ path: 'web_configuration.authentication.oidc.issuer', reason: 'expected a URL' }];
}

function authenticationProblem(field: string, what: string): Problem {
  const variable = `SERVICE_WEB_CONFIGURATION__AUTHENTICATION__${field.toUpperCase()}`;
  return {
    path: `web_configuration.authentication.${field}`,
    reason: `${what}; authentication is enabled and needs it. Set ${variable}`,
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

function budgetProblems({ models, budgets }: Settings): Problem[] {
  const empty = [...budgets.entries()].filter(
    ([, { tokens, cost }]) => tokens === undefined && cost === undefined,
  );
  const limiting = budgets.findIndex(({ cost }) => cost !== undefined);
  const unpriced =
    limiting < 0
      ? []
      : [...models.entries()].filter(([, { role, price }]) => role === 'chat' && price === undefined);
  return [
    ...empty.map(([index]) => ({ path: `budgets[${index}]`, reason: 'expected tokens, cost or both' })),
    ...unpriced.map(([index, { model }]) => ({
      path: `models[${index}].price`,
      reason: `missing; budgets[${limiting}].cost needs the price of '${model}'`,
    })),
  ];
}

function mcpServerProblems({ mcp_servers }: Settings): Problem[] {
  return Object.entries(mcp_servers).flatMap(([name, { command, url, args, env, headers }]) => {
    const path = `mcp_servers.${name}`;
    if ((command === undefined) === (url === undefined))
      return [{ path, reason: 'set either command or url' }];
    const given = url === undefined ? { headers } : { args, env };
    const without = Object.entries(given).filter(([, value]) => Object.keys(value).length > 0);
    const reason = url === undefined ? 'requires a url' : 'requires a command';
    return without.map(([field]) => ({ path: `${path}.${field}`, reason }));
  });
}

/** Names that entries are looked up by must be unique; otherwise, one entry would silently hide another. */
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
  return { path, reason: 'must be unique' };
}
