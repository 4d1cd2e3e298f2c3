/** The studio's files in memory: made by a process of its own when somebody first asks, so that a service without such people pays nothing. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type BundledFile, unpacked } from './packed-files.ts';

export interface StudioFile extends BundledFile {
  etag: string;
}

export interface StudioFiles {
  /** The page itself under the empty name; undefined if there is none of that name. Throws where they cannot be made. */
  find(name: string): Promise<StudioFile | undefined>;
}

export function createStudioFiles(): StudioFiles {
  let made: Promise<Map<string, StudioFile>> | undefined;
  return {
    async find(name) {
      made ??= make();
      try {
        return (await made).get(name);
      } catch (error) {
        // The next who asks may have more luck: memory may have been short.
        made = undefined;
        throw error;
      }
    },
  };
}

const PROCESS = join(import.meta.dir, 'bundle-process.ts');
const PATIENCE_MS = 120_000;

async function make(): Promise<Map<string, StudioFile>> {
  const child = Bun.spawn([process.execPath, '--no-env-file', PROCESS], {
    // React is another one where this says that it is being developed.
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: PATIENCE_MS,
  });
  const [bytes, said] = await Promise.all([
    new Response(child.stdout).bytes(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`the studio cannot be bundled: ${said.slice(0, 2_000)}`);
  return new Map(unpacked(bytes).map((file) => [file.name, { ...file, etag: etagOf(file) }]));
}

function etagOf({ gzip }: BundledFile): string {
  return `"${createHash('sha256').update(gzip).digest('base64url').slice(0, 22)}"`;
}
