/** A PostgreSQL server for measurements, with durable commits as in production. */
import { join } from 'node:path';
import { SQL } from 'bun';
import { findPrograms, makeServer } from '../tests/support/database-server.ts';
import { POSTGRES_SERVER } from '../tests/support/postgres-server.ts';

export interface PrivatePostgres {
  /** Creates a database and returns its URL. */
  database(name: string): Promise<string>;
  /** Runs a statement in the database `postgres` and returns its rows. */
  ask<Row>(text: string): Promise<Row[]>;
  stop(): Promise<void>;
}

/** Undefined if PostgreSQL is not installed. */
export async function startPostgres(): Promise<PrivatePostgres | undefined> {
  const bin = findPrograms(POSTGRES_SERVER);
  if (!bin) return undefined;
  const server = await makeServer({ ...POSTGRES_SERVER, serve }, bin);
  await server.start();
  const urlOf = (name: string) => `postgres://admin@127.0.0.1:${server.port}/${name}`;
  const client = new SQL({ url: urlOf('postgres'), max: 1 });
  await client.unsafe('CREATE EXTENSION pg_stat_statements');
  return {
    async database(name) {
      await client.unsafe(`CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    ask: async (text) => Array.from(await client.unsafe(text)),
    async stop() {
      await client.close({ timeout: 0 });
      await server.remove();
    },
  };
}

function serve({ bin, folder, port }: { bin: string; folder: string; port: number }): string[] {
  const settings = {
    fsync: 'on',
    synchronous_commit: 'on',
    shared_buffers: '256MB',
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.track': 'top',
  };
  return [
    join(bin, 'postgres'),
    ...['-D', join(folder, 'data'), '-p', `${port}`, '-k', folder, '-h', '127.0.0.1'],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
