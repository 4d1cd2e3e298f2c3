/** Loads LanceDB, which reads some of its settings from the environment of the process, and `process.env` is a copy of that. */
import { dlopen } from 'bun:ffi';
import type * as Lance from '@lancedb/lancedb';

const SETTINGS = {
  // It writes lines of its own to standard error, between those of our log; what matters it throws as well.
  LANCEDB_LOG: 'off',
  // An index of words is built in as many parts as there are cores, each of 256 MB before it is written.
  LANCE_FTS_NUM_SHARDS: '1',
  LANCE_FTS_PARTITION_SIZE: '8',
  LANCE_FTS_WRITE_QUEUE_SIZE: '1',
};

/** At the first use: it takes 60 MB, which a service without documents need not have. */
export async function loadLance(): Promise<typeof Lance> {
  setEnvironment();
  boundArenas();
  return import('@lancedb/lancedb');
}

const LIBRARIES =
  process.platform === 'darwin'
    ? ['libSystem.B.dylib']
    : ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`];

/** What the process was started with stays. Elsewhere than on Linux and macOS LanceDB goes by its own settings. */
function setEnvironment(): void {
  for (const path of LIBRARIES) {
    try {
      const { symbols } = dlopen(path, { setenv: { args: ['cstring', 'cstring', 'int'], returns: 'int' } });
      for (const [name, value] of Object.entries(SETTINGS))
        symbols.setenv(Buffer.from(`${name}\0`), Buffer.from(`${value}\0`), 0);
      return;
    } catch {
      // Another kind of system: the next name may be there.
    }
  }
}

// Of glibc's malloc.h, and bytes that are given back to the system at once.
const [M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX] = [-1, -3, -8];
const GIVEN_BACK = 128 * 1024;

/** glibc keeps what was freed, in arenas of which each thread may have its own: after an upload that is 60 MB. */
function boundArenas(): void {
  try {
    const { symbols } = dlopen('libc.so.6', { mallopt: { args: ['int', 'int'], returns: 'int' } });
    symbols.mallopt(M_ARENA_MAX, 2);
    symbols.mallopt(M_TRIM_THRESHOLD, GIVEN_BACK);
    symbols.mallopt(M_MMAP_THRESHOLD, GIVEN_BACK);
  } catch {
    // Another library for C has other ways.
  }
}
