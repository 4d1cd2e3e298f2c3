/** Creates the sample database of bike sales. Writes it to a temporary file, which is then moved. */
import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { resolveLinks } from './database-path.ts';

const WRITER = join(import.meta.dir, 'write-sample.ts');

/** Returns false, and changes nothing, if a file already exists. A separate process writes the data. */
export async function createSampleDatabase(path: string): Promise<boolean> {
  const target = resolveLinks(path);
  return !existsSync(target) && (await written(target, (whole) => moveInto(target, whole)));
}

/** Writes the database to a temporary file and then moves it. */
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
  const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code !== 0)
    throw new Error(`The sample database could not be written: ${stderr.trim() || `exit code ${code}`}`);
}

/** Uses a link because, unlike a rename, it never replaces a file that has appeared in the meantime. */
async function moveInto(path: string, whole: string): Promise<boolean> {
  try {
    await link(whole, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    // Some file systems have no links. A rename is also atomic, but could replace a file that has just appeared.
    if (existsSync(path)) return false;
    await rename(whole, path);
    return true;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
