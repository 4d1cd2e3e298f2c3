/** Makes the sample database: bike sales, written beside its place and moved there once it is whole. */
import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { realPlace } from './place.ts';

const WRITER = join(import.meta.dir, 'write-sample.ts');

/** Gives false, and changes nothing, where there is a file already. The writing is done by a process of its own. */
export async function createSampleDatabase(path: string): Promise<boolean> {
  const place = realPlace(path);
  return !existsSync(place) && (await written(place, (whole) => moveInto(place, whole)));
}

/** Writes the database beside its place, and lets it be moved there once it is whole. */
async function written<T>(path: string, move: (whole: string) => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${Bun.randomUUIDv7()}.tmp`;
  try {
    await write(unfinished);
    return await move(unfinished);
  } finally {
    await Promise.all([unfinished, `${unfinished}.wal`].map((file) => rm(file, { force: true })));
  }
}

async function write(path: string): Promise<void> {
  const child = Bun.spawn([process.execPath, '--no-env-file', WRITER, path], {
    cwd: import.meta.dir,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code !== 0)
    throw new Error(`The sample database could not be written: ${said.trim() || `exit code ${code}`}`);
}

/** A link never replaces a file that somebody else has put there meanwhile, as a rename would. */
async function moveInto(path: string, whole: string): Promise<boolean> {
  try {
    await link(whole, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    // Some file systems have no links; a rename is as whole, and only a moment less careful.
    if (existsSync(path)) return false;
    await rename(whole, path);
    return true;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
