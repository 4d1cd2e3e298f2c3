/** Preloaded into the service: on SIGUSR2, it collects garbage and writes the size of the heap to the file of SOAK_HEAP_FILE. */

import { heapStats } from 'bun:jsc';
import { renameSync, writeFileSync } from 'node:fs';

const file = process.env.SOAK_HEAP_FILE;
if (file === undefined) throw new Error('SOAK_HEAP_FILE is not set');

process.on('SIGUSR2', () => {
  Bun.gc(true);
  const { heapSize, objectCount, objectTypeCounts } = heapStats();
  // A reader never sees half a file.
  writeFileSync(`${file}.part`, JSON.stringify({ heapSize, objectCount, objectTypeCounts }));
  renameSync(`${file}.part`, file);
});
