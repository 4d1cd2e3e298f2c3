/** A separate PostgreSQL server for a test, which can kill, restart and pause it. */
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabaseServer, findPrograms, makeServer } from './database-server.ts';
import { POSTGRES_SERVER, runOnPostgres } from './postgres-server.ts';

/** Undefined if PostgreSQL is not installed. Skip tests in that case. */
export const OWN_POSTGRES = findPrograms(POSTGRES_SERVER);

export interface PrivatePostgres extends DatabaseServer {
  url: string;
  run(text: string): Promise<Record<string, unknown>[]>;
  /** Pauses its processes: the kernel accepts connections, but the server doesn't respond. */
  pause(): void;
  resume(): void;
  /** Writes a file into its data folder as its user. Call it before `start`. */
  write(name: string, text: string): void;
}

export async function privatePostgres(): Promise<PrivatePostgres> {
  const server = await makeServer(POSTGRES_SERVER, OWN_POSTGRES ?? '');
  const data = join(server.folder, 'data');
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processes(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])))
      process.kill(pid, name);
  };
  return {
    ...server,
    url: `postgres://admin@127.0.0.1:${server.port}/postgres`,
    run: (text) => runOnPostgres(server.port, text),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    write(name, text) {
      const path = join(data, name);
      writeFileSync(path, text, { mode: 0o600 });
      if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
    },
  };
}

const NOBODY = 65_534;

/** The server and its children. The server comes first, so that it can't start more processes in between. */
function processes(server: number): number[] {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').split(' ');
  return [server, ...children.map(Number).filter((pid) => pid > 0)];
}
