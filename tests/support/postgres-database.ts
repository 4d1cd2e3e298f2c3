/** Empty databases on a private PostgreSQL server, which the tests of a process share. */
import { SQL } from 'bun';
import { findPrograms, makeServer } from './database-server.ts';
import { POSTGRES_SERVER, urlOf } from './postgres-server.ts';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Names a server for all tests of a run; without it each process starts one of its own. */
const SHARED = process.env.SKEIN_TEST_POSTGRES;

/** Undefined where PostgreSQL is not installed, which is said once: a reason to skip. */
export const POSTGRES = SHARED ?? findPrograms(POSTGRES_SERVER);

let started: Promise<string> | undefined;
let count = 0;

export async function freshDatabase(): Promise<TestDatabase> {
  started ??= SHARED === undefined ? startServer() : Promise.resolve(SHARED);
  const server = await started;
  const name = `skein_${process.pid}_${++count}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  return {
    url: new URL(`/${name}`, server).href,
    drop: () => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** Ends with this process. */
async function startServer(): Promise<string> {
  const server = await makeServer(POSTGRES_SERVER, POSTGRES ?? '');
  await server.start();
  process.once('exit', () => void server.remove());
  return urlOf(server.port);
}

async function onServer(url: string, text: string): Promise<void> {
  const client = new SQL({ url, max: 1 });
  try {
    await client.unsafe(text);
  } finally {
    await client.close({ timeout: 0 });
  }
}
