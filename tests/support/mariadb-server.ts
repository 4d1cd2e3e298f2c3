/** MariaDB for tests. */
import { join } from 'node:path';
import { SQL } from 'bun';
import type { ServerKind } from './database-server.ts';

export const MARIADB_SERVER: ServerKind = {
  packages: 'mariadb-server',
  folders: ['/usr'],
  programs: ['sbin/mariadbd', 'bin/mariadb-install-db', 'bin/mariadb-dump'],
  init: ({ bin, folder }) => [
    join(bin, 'bin/mariadb-install-db'),
    ...['--no-defaults', `--datadir=${join(folder, 'data')}`, '--auth-root-authentication-method=normal'],
    '--skip-test-db',
  ],
  serve: ({ bin, folder, port }) => [
    join(bin, 'sbin/mariadbd'),
    ...['--no-defaults', `--datadir=${join(folder, 'data')}`, `--port=${port}`, '--bind-address=127.0.0.1'],
    ...[`--socket=${join(folder, 'socket')}`, '--innodb-buffer-pool-size=16M', '--secure-file-priv='],
    '--innodb-flush-log-at-trx-commit=0',
  ],
  dump: ({ bin, folder }) => [
    join(bin, 'bin/mariadb-dump'),
    ...['--no-defaults', `--socket=${join(folder, 'socket')}`, '-u', 'root', '--skip-dump-date'],
    ...['--databases', 'shop', '--routines'],
  ],
  killSignal: 'SIGKILL',
  async answers(port) {
    await runOnMariaDb(port, 'SELECT 1', 'mysql');
  },
};

export async function runOnMariaDb(port: number, text: string, database = 'shop'): Promise<void> {
  const client = new SQL({
    ...{
      url: 'mysql://localhost/',
      adapter: 'mysql',
      hostname: '127.0.0.1',
      port,
      username: 'root',
      database,
    },
    max: 1,
  });
  try {
    await client.unsafe(text).simple();
  } finally {
    await client.close({ timeout: 0 });
  }
}
