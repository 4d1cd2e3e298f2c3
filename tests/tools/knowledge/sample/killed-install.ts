/** Installs the samples in a process that is killed after this number of files: `<folder> <files>`. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { installSamples } from '../../../../tools/knowledge/sample/install.ts';

const [folder = '', files = '0'] = process.argv.slice(2);

function look(): void {
  const parent = dirname(folder);
  const unfinished = readdirSync(parent).filter((name) => name.startsWith(`${basename(folder)}.`));
  const written = unfinished.map((name) => readdirSync(join(parent, name)).length);
  if (written.some((count) => count > Number(files))) process.kill(process.pid, 'SIGKILL');
  setImmediate(look);
}

// Ignores files that an earlier process has left beside the folder.
for (const name of readdirSync(dirname(folder))) await Bun.$`rm -r ${join(dirname(folder), name)}`.quiet();
look();
await installSamples(folder);
process.kill(process.pid, 'SIGKILL');
