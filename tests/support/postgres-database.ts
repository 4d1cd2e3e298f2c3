/** Empty databases on a PostgreSQL server that the tests of a process share. */
import { SQL } from 'bun';
import { findPrograms, makeServer } from './database-server.ts';
import { POSTGRES_SERVER, urlOf } from './postgres-server.ts';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** The server for all tests of a run. Without it, each process starts its own. */
const SHARED = process.env.SKEIN_TEST_POSTGRES;

/** Undefined if PostgreSQL is not installed, which is printed once. Skip tests in that case. */
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

/** It ends with this process. */
async function startServer(): Promise<string> {
  const server = await makeServer(POSTGRES_SERVER, POSTGRES ?? '');
  await server.start();
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
