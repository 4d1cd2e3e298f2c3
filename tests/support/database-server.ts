/** A real database server in a temporary folder on a free port, run by a user other than root. */
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportMissing } from './missing.ts';

export interface DatabaseServer {
  readonly port: number;
  /** Contains only the server's files. */
  readonly folder: string;
  start(): Promise<void>;
  /** Kills the server without a shutdown. */
  kill(): Promise<void>;
  /** A dump of the database as text. */
  dump(): Promise<string>;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

export interface ServerKind {
  /** The packages to install. */
  packages: string;
  /** Possible folders of the programs. */
  folders: string[];
  programs: string[];
  init(server: ServerLocation): string[];
  serve(server: ServerLocation): string[];
  dump(server: ServerLocation): string[];
  /** Kills the server with all its processes. */
  killSignal: NodeJS.Signals;
  /** Resolves when the server responds. */
  answers(port: number): Promise<void>;
}

export interface ServerLocation {
  bin: string;
  folder: string;
  port: number;
}

/** Undefined if the programs are not installed; prints what to install. */
export function findPrograms({ programs, folders, packages }: ServerKind): string | undefined {
  const bin = folders.find((folder) => programs.every((program) => existsSync(join(folder, program))));
  if (!bin) reportMissing(programs.join(', '), `apt-get install -y ${packages}`);
  return bin;
}

export async function makeServer(kind: ServerKind, bin: string): Promise<DatabaseServer> {
  const place = { bin, folder: mkdtempSync(join(tmpdir(), 'skein-server-')), port: freePort() };
  if (process.getuid?.() === 0) chownSync(place.folder, NOBODY, NOGROUP);
  await run(kind.init(place), place);
  let child: Bun.Subprocess | undefined;
  const watch = removeAtExit(place, kind.killSignal);

  async function start(): Promise<void> {
    child = Bun.spawn(unprivileged(kind.serve(place)), {
      cwd: place.folder,
      env: environment(place),
      stdout: 'ignore',
      stderr: 'ignore',
    });
    writeFileSync(join(place.folder, PID_FILE), `${child.pid}`);
    const until = performance.now() + START_MS;
    for (;;) {
      const failure = await kind.answers(place.port).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!failure) return;
      if (performance.now() > until || child.exitCode !== null) throw failure;
      await Bun.sleep(50);
    }
  }

  async function kill(): Promise<void> {
    child?.kill(kind.killSignal);
    await child?.exited;
    rmSync(join(place.folder, PID_FILE), { force: true });
  }

  return {
    ...place,
    start,
    kill,
    // pg_dump writes a random token into its comments.
    dump: async () => (await run(kind.dump(place), place)).replaceAll(/^(\\(un)?restrict|--).*$/gm, ''),
    async remove() {
      await kill();
      watch.kill('SIGKILL');
      rmSync(place.folder, { recursive: true, force: true });
    },
  };
}

const PID_FILE = 'server.pid';

/** A process that stops the server and removes its files when this one has ended, even by kill -9: its input ends then. */
function removeAtExit({ folder }: ServerLocation, signal: NodeJS.Signals): Bun.Subprocess {
  const script = `trap '' INT TERM HUP; cat; kill -s "$2" "$(cat "$1/${PID_FILE}")"; sleep 0.5; rm -rf "$1"`;
  const watch = Bun.spawn(['sh', '-c', script, 'sh', folder, signal.slice('SIG'.length)], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  watch.unref();
  return watch;
}

const START_MS = 30_000;
const NOBODY = 65_534;
const NOGROUP = 65_534;

/** Database servers refuse to run as root. */
function unprivileged(command: string[]): string[] {
  if (process.getuid?.() !== 0) return command;
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOGROUP}`, '--clear-groups', ...command];
}

/** The temporary folder may belong to another user. */
const environment = ({ folder }: ServerLocation) => ({ ...process.env, TMPDIR: folder });

async function run(command: string[], server: ServerLocation): Promise<string> {
  const child = Bun.spawn(unprivileged(command), {
    cwd: server.folder,
    env: environment(server),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
  const [out, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed: ${errors || out}`);
  return out;
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
