/** `bun client/packing/pack.ts [folder]`: packs `skein-client` into `skein-client-<version>.tgz`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packageFiles } from './package-files.ts';

/** Resolves with the path of the tarball. */
export async function pack(destination: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-client-'));
  try {
    for (const [name, text] of await packageFiles()) await Bun.write(join(folder, name), text);
    const child = Bun.spawn([process.execPath, 'pm', 'pack', '--quiet', '--destination', destination], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const [name, code] = await Promise.all([child.stdout.text(), child.exited]);
    if (code !== 0) throw new Error(`bun pm pack failed with exit code ${code}`);
    return join(destination, name.trim().split('/').at(-1) ?? '');
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) console.log(await pack(resolve(process.argv[2] ?? '.')));
