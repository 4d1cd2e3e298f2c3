/**
 * Opens a DuckDB database in a sandbox: SQL has no access to files, the network, extensions and settings, and a database file
 * is read-only.
 */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

export interface Sandbox {
  connection: DuckDBConnection;
  close(): void;
}

/** The order matters: file systems can only be disabled when the file is open, and the configuration is locked last. */
const LOCKS = [
  "SET TimeZone = 'UTC'",
  'SET enable_external_access = false',
  "SET disabled_filesystems = 'LocalFileSystem'",
  'SET lock_configuration = true',
];

// Half of the process's limit, because DuckDB does not count all of its memory.
const MEMORY_LIMIT = '256MB';

/** Without a path, the database is in memory. Throws DuckDB's error if the file cannot be opened. */
export async function openSandbox({ path }: { path?: string | undefined }): Promise<Sandbox> {
  const instance = await DuckDBInstance.create(path ?? ':memory:', {
    // DuckDB has no read-only databases in memory. There, only the guard prevents writes, but nobody else would see them.
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
