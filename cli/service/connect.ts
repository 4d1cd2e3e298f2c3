/** The service that a command talks to: the running one, or else an in-process one. */
import { apiError, SkeinApiError } from '../../client/api-error.ts';
import type { Fetch } from '../../client/options.ts';
import { parseFlags } from '../../settings/flags.ts';
import { type LoadedSettings, loadSettings } from '../../settings/load.ts';
import { configurationError, SkeinError } from '../../state/errors.ts';
import { styleFor } from '../terminal/style.ts';
import { isHeld } from './checks/state-file.ts';

export interface Connection {
  url: string;
  headers: Record<string, string>;
  fetch: Fetch;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** The flags of the settings. */
  flags: readonly string[];
  /** The service's address, if given: then no other service is used. */
  url?: string | undefined;
  env: Record<string, string | undefined>;
}

const ANSWERS_WITHIN_MS = 2_000;

/**
 * Credentials are SKEIN_API_KEY, or SKEIN_USERNAME and SKEIN_PASSWORD, or those of the settings if the service uses them.
 * Throws CONFIGURATION_ERROR if the settings are invalid or the named service does not answer.
 */
export async function connect({ flags, url, env }: ConnectOptions): Promise<Connection> {
  const named = url ?? env.SKEIN_URL;
  const loaded = loadSettings({ cwd: process.cwd(), env, flags: parseFlags([...flags]) });
  const address = named?.replace(/\/+$/, '') ?? addressOf(loaded.settings.web_configuration);
  if (!URL.canParse(address))
    throw configurationError('--url', 'expected a URL, as in http://localhost:8080');
  if (await answers(address)) {
    printNote(`at ${address}`);
    const headers = named === undefined ? { ...ownCredentials(loaded), ...given(env) } : given(env);
    const close = async () => {};
    return { url: address, headers, fetch: (to, init) => fetch(to, init), close };
  }
  if (named !== undefined) throw configurationError('--url', `no service answers at ${address}`);
  const isFile = loaded.settings.chat_history.database_type === 'sqlite';
  printNote(`no service at ${address}, so the ${isFile ? 'files are' : 'database is'} opened here`);
  return ownService(loaded);
}

/** In addition to the command's own. */
function printNote(text: string): void {
  process.stderr.write(`${styleFor(process.stderr, process.env).dim(text)}\n`);
}

/** The same settings and files as `skein serve`, without a socket. */
async function ownService(loaded: LoadedSettings): Promise<Connection> {
  // The answers contain the errors; other log entries would interrupt the conversation.
  const telemetry = { ...loaded.settings.telemetry, log_level: 'error' as const };
  // Imported on demand: querying a running service takes a tenth of the time.
  const { openService } = await import('./open-service.ts');
  // A worker serves no requests, and a front waits for others.
  const cluster = { ...loaded.settings.cluster, role: 'all' as const };
  const settings = { ...loaded.settings, cluster, telemetry };
  const service = await openService({ ...loaded, settings }).catch((error) => {
    throw isStateHeld(error, settings.chat_history.database_path) ? elsewhere(error) : error;
  });
  // With a shared database, other servers do the background work.
  const onlyRequests = settings.chat_history.database_type === 'postgresql';
  await service.start('http://localhost', { onlyRequests }).catch(async (error) => {
    await service.close(0);
    throw error;
  });
  return {
    url: 'http://localhost',
    headers: ownCredentials(loaded),
    fetch: (to, init) => service.app.handle(new Request(to, init)),
    close: () => service.close(5),
  };
}

function isStateHeld(error: unknown, path: string): error is SkeinError {
  return error instanceof SkeinError && error.field === 'chat_history.database_path' && isHeld(path);
}

/** The likely reason: the service runs on another port. */
function elsewhere({ code, message, field = '' }: SkeinError): SkeinError {
  const detail = 'if the service uses another port, set --url, as in --url http://localhost:8080';
  return new SkeinError(code, { message, detail, field });
}

/** The local address of a service with these settings. */
export function addressOf(web: LoadedSettings['settings']['web_configuration']): string {
  const host = web.host === '0.0.0.0' || web.host === '::' ? 'localhost' : web.host;
  return `${web.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${web.port}${web.base_path}`;
}

/** Whether a Skein service answers, in any state: its probe adds a request id to every response. */
export async function answers(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  const response = await fetch(`${url}/livez`, { signal, redirect: 'error' }).catch(() => undefined);
  return response?.headers.has('x-request-id') === true;
}

function given(env: ConnectOptions['env']): Record<string, string> {
  if (env.SKEIN_API_KEY) return { 'x-api-key': env.SKEIN_API_KEY };
  if (env.SKEIN_USERNAME) return basic(env.SKEIN_USERNAME, env.SKEIN_PASSWORD ?? '');
  return {};
}

function ownCredentials({ settings }: LoadedSettings): Record<string, string> {
  const { enable, username, password } = settings.web_configuration.authentication;
  return enable && username && password ? basic(username, password) : {};
}

function basic(name: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

/** Returns the text of a successful response. Throws SkeinApiError for an error status, SkeinError if there is no response. */
export async function ask(connection: Connection, path: string, init: RequestInit = {}): Promise<string> {
  const { url, headers, fetch } = connection;
  const response = await fetch(`${url}${path}`, { ...init, headers }).catch((cause) => {
    throw new SkeinError('INTERNAL_ERROR', { message: `The service at ${url} does not answer`, cause });
  });
  if (!response.ok) throw await apiError(response);
  return response.text();
}

/** The same; undefined if it is not found. */
export async function found(connection: Connection, path: string): Promise<string | undefined> {
  try {
    return await ask(connection, path);
  } catch (error) {
    if (error instanceof SkeinApiError && error.status === 404) return undefined;
    throw error;
  }
}
