/** PostgreSQL for tests. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { ServerKind } from './database-server.ts';

const ROOT = '/usr/lib/postgresql';

export const POSTGRES_SERVER: ServerKind = {
  packages: 'postgresql',
  folders: [...versions(), '/usr/bin', '/usr/local/bin'],
  programs: ['initdb', 'postgres', 'pg_dump'],
  init: ({ bin, folder }) => [
    join(bin, 'initdb'),
    ...['-D', join(folder, 'data'), '-U', 'admin', '-A', 'trust', '-N', '--locale=C', '-E', 'UTF8'],
  ],
  serve: ({ bin, folder, port }) => [
    join(bin, 'postgres'),
    ...['-D', join(folder, 'data'), '-p', `${port}`, '-k', folder, '-h', '127.0.0.1', '-c', 'fsync=off'],
    ...['-c', 'shared_buffers=64MB', '-c', 'autovacuum=off', '-c', 'max_connections=400'],
    // Next to its data, so that both are removed after a kill.
    ...['-c', 'dynamic_shared_memory_type=mmap'],
  ],
  dump: ({ bin, port }) => [
    join(bin, 'pg_dump'),
    '-h',
    '127.0.0.1',
    '-p',
    `${port}`,
    '-U',
    'admin',
    'postgres',
  ],
  killSignal: 'SIGQUIT',
  async answers(port) {
    await runOnPostgres(port, 'SELECT 1');
  },
};

export const urlOf = (port: number) => `postgres://admin@127.0.0.1:${port}/postgres`;

export async function runOnPostgres(port: number, text: string): Promise<Record<string, unknown>[]> {
  const client = new SQL({
    ...{ url: 'postgres://localhost/', hostname: '127.0.0.1', port, username: 'admin', database: 'postgres' },
    max: 1,
  });
  try {
    return await client.unsafe(text).simple();
  } finally {
    await client.close({ timeout: 0 });
  }
}

function versions(): string[] {
  try {
    return readdirSync(ROOT).map((version) => join(ROOT, version, 'bin'));
  } catch {
    return [];
  }
}
