/** The project's own PostgreSQL in `.tmp/postgres`: it runs during `skein dev`, and its data is kept. */
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { configurationError } from '../../../state/errors.ts';
import { postgresPrograms } from './postgres-programs.ts';

export interface ProjectPostgres {
  /** For people. */
  label: string;
  /** Environment variables for the service, in addition to its own. */
  env: Record<string, string>;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
  /** Ends it immediately, as a power failure would. It recovers at the next start. */
  kill(): void;
}

interface Files {
  folder: string;
  data: string;
  password: string;
  log: string;
  /** The process that started it. */
  starter: string;
}

const USER = 'skein';
const START_MS = 30_000;
const LOOK_AGAIN_MS = 50;
// PostgreSQL refuses to run as root, the usual user in containers.
const NOBODY = 65_534;

/** Throws CONFIGURATION_ERROR if it is not installed, does not start, or belongs to another `skein dev`. */
export async function projectPostgres(projectFolder: string): Promise<ProjectPostgres> {
  const files = filesIn(projectFolder);
  mkdirSync(files.folder, { recursive: true });
  const bin = postgresPrograms(projectFolder, process.env.PATH, versionOf(files));
  if (isRoot()) chownSync(files.folder, NOBODY, NOBODY);
  if (existsSync(files.data)) await endLeftover(files);
  else await initialize(bin, files);
  const port = freePort();
  writeFileSync(files.starter, String(process.pid));
  const log = openSync(files.log, 'a');
  const child = Bun.spawn(
    unprivileged([
      ...[join(bin, 'postgres'), '-D', files.data, '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    ]),
    // Detached: Ctrl-C signals the whole process group, but the service still has to write.
    { stdin: 'ignore', stdout: log, stderr: log, detached: true },
  );
  process.once('exit', () => child.kill('SIGINT'));
  const url = urlOf(files, port);
  await until(
    () => answers(url),
    () => child.exitCode !== null,
    `PostgreSQL did not start; see ${files.log}`,
  );
  return {
    label: `postgresql://127.0.0.1:${port}/postgres`,
    env: {
      SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
      SERVICE_CHAT_HISTORY__CONNECTION_STRING: url,
    },
    async stop() {
      // Closes the remaining connections and flushes to disk.
      child.kill('SIGINT');
      await child.exited;
    },
    kill: () => child.kill('SIGQUIT'),
  };
}

function filesIn(projectFolder: string): Files {
  const folder = join(projectFolder, '.tmp', 'postgres');
  const at = (name: string) => join(folder, name);
  return { folder, data: at('data'), password: at('password'), log: at('log'), starter: at('started-by') };
}

function versionOf({ data }: Files): string | undefined {
  const file = join(data, 'PG_VERSION');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

async function initialize(bin: string, { data, password }: Files): Promise<void> {
  writeFileSync(password, crypto.randomUUID(), { mode: 0o600 });
  if (isRoot()) chownSync(password, NOBODY, NOBODY);
  const child = Bun.spawn(
    unprivileged([
      ...[join(bin, 'initdb'), '-D', data, '-U', USER, '--pwfile', password],
      ...['-A', 'scram-sha-256', '--locale=C', '-E', 'UTF8'],
    ]),
    { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  );
  const errors = await child.stderr.text();
  if ((await child.exited) === 0) return;
  rmSync(data, { recursive: true, force: true });
  throw configurationError(
    '--postgres',
    `the database could not be created: ${errors.trim().split('\n').at(-1)}`,
  );
}

/** A killed `skein dev` leaves its PostgreSQL running. */
async function endLeftover(files: Files): Promise<void> {
  const path = join(files.data, 'postmaster.pid');
  if (!existsSync(path)) return;
  const [pid, , , port] = readFileSync(path, 'utf8').split('\n');
  // The file survives a power failure, and its process id may then belong to another process.
  if (!(await answers(urlOf(files, Number(port))))) return;
  const starter = existsSync(files.starter) ? Number(readFileSync(files.starter, 'utf8')) : 0;
  if (starter > 0 && isAlive(starter))
    throw configurationError('--postgres', 'another skein dev uses the PostgreSQL of this project; stop it');
  process.kill(Number(pid), 'SIGINT');
  await until(
    async () => !existsSync(path),
    () => false,
    'the PostgreSQL of an earlier skein dev does not stop; stop it',
  );
}

async function answers(url: string): Promise<boolean> {
  const client = new SQL({ url, max: 1, connectionTimeout: 2 });
  try {
    await client.unsafe('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.close({ timeout: 0 });
  }
}

async function until(isSo: () => Promise<boolean>, isHopeless: () => boolean, reason: string): Promise<void> {
  const end = performance.now() + START_MS;
  while (!(await isSo())) {
    if (performance.now() > end || isHopeless()) throw configurationError('--postgres', reason);
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}

function urlOf({ password }: Files, port: number): string {
  return `postgres://${USER}:${readFileSync(password, 'utf8').trim()}@127.0.0.1:${port}/postgres`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const isRoot = () => process.getuid?.() === 0;

/** As user nobody, which needs access to the folders above. */
function unprivileged(command: string[]): string[] {
  if (!isRoot()) return command;
  const capabilities = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'];
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...capabilities, ...command];
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
