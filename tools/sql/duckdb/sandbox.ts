/** Opens a DuckDB database so that no SQL can leave it: without files, network, extensions or settings; a file read-only. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

export interface Sandbox {
  connection: DuckDBConnection;
  close(): void;
}

/** The order matters: file systems are disabled once the file is open, and the lock comes last. */
const LOCKS = [
  "SET TimeZone = 'UTC'",
  'SET enable_external_access = false',
  "SET disabled_filesystems = 'LocalFileSystem'",
  'SET lock_configuration = true',
];

// Half of what the process may have: DuckDB does not count all it takes.
const MEMORY_LIMIT = '256MB';

/** In memory where there is no path. Throws what DuckDB throws when the file cannot be opened. */
export async function openSandbox({ path }: { path?: string | undefined }): Promise<Sandbox> {
  const instance = await DuckDBInstance.create(path ?? ':memory:', {
    // DuckDB opens none in memory read-only: there only the guard keeps a statement from writing, and nobody sees it.
    ...(path === undefined ? {} : { access_mode: 'READ_ONLY' }),
    threads: '2',
    memory_limit: MEMORY_LIMIT,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
    allow_unredacted_secrets: 'false',
  });
  const connection = await instance.connect();
  for (const lock of LOCKS) await connection.run(lock);
  return {
    connection,
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
