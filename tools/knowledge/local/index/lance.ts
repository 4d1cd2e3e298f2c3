/** Loads LanceDB. It reads its settings from the native environment, which `process.env` does not change. */
import { dlopen } from 'bun:ffi';
import type * as Lance from '@lancedb/lancedb';

const SETTINGS = {
  // Its log lines would mix with the service's on standard error. Errors are also thrown.
  LANCEDB_LOG: 'off',
  // By default, a word index is built in one part per core, each of which takes up to 256 MB before it is written.
  LANCE_FTS_NUM_SHARDS: '1',
  LANCE_FTS_PARTITION_SIZE: '8',
  LANCE_FTS_WRITE_QUEUE_SIZE: '1',
};

/** Call it at first use, because LanceDB takes 60 MB, which a service without documents doesn't need. */
export async function loadLance(): Promise<typeof Lance> {
  setEnvironment();
  boundArenas();
  return import('@lancedb/lancedb');
}

const LIBRARIES =
  process.platform === 'darwin'
    ? ['libSystem.B.dylib']
    : ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`];

/** Keeps variables that are already set. On systems other than Linux and macOS, LanceDB's defaults apply. */
function setEnvironment(): void {
  for (const path of LIBRARIES) {
    try {
      const { symbols } = dlopen(path, { setenv: { args: ['cstring', 'cstring', 'int'], returns: 'int' } });
      for (const [name, value] of Object.entries(SETTINGS))
        symbols.setenv(Buffer.from(`${name}\0`), Buffer.from(`${value}\0`), 0);
      return;
    } catch {
      // The C library has another name. Try the next one.
    }
  }
}

// Parameter numbers from glibc's malloc.h, and the size from which memory is returned to the system immediately.
const [M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX] = [-1, -3, -8];
const GIVEN_BACK = 128 * 1024;

/** Limits the arenas of glibc, which keeps freed memory in an arena per thread: 60 MB after an upload. */
function boundArenas(): void {
  try {
    const { symbols } = dlopen('libc.so.6', { mallopt: { args: ['int', 'int'], returns: 'int' } });
    symbols.mallopt(M_ARENA_MAX, 2);
    symbols.mallopt(M_TRIM_THRESHOLD, GIVEN_BACK);
    symbols.mallopt(M_MMAP_THRESHOLD, GIVEN_BACK);
  } catch {
    // Other C libraries have no mallopt.
  }
}
