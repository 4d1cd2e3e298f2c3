/** Files of a backup: copied with their digest and synced to disk. */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface Copied {
  bytes: number;
  sha256: string;
}

const PIECE = 1024 * 1024;

/** Creates the parent folder. The copy keeps the modification time; only its owner can read it. */
export async function copyFile(from: string, to: string): Promise<Copied> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const { atime, mtime } = await source.stat();
      const copied = await pour(source, async (piece) => void (await target.writeFile(piece)));
      await target.utimes(atime, mtime);
      await target.sync();
      return copied;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

export async function digestOf(path: string): Promise<Copied> {
  const file = await open(path, 'r');
  try {
    return await pour(file, async () => {});
  } finally {
    await file.close();
  }
}

async function pour(source: FileHandle, into: (piece: Uint8Array) => Promise<void>): Promise<Copied> {
  const hash = createHash('sha256');
  const buffer = new Uint8Array(PIECE);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, PIECE, null);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const piece = buffer.subarray(0, bytesRead);
    hash.update(piece);
    await into(piece);
    bytes += bytesRead;
  }
}

/** Regular files below a folder, as relative paths. Links are not followed; what is left out is passed to `skipped`. */
export async function filesBelow(folder: string, skipped: (path: string) => void): Promise<string[]> {
  const found: string[] = [];
  async function walk(inside: string): Promise<void> {
    for (const entry of await readdir(join(folder, inside), { withFileTypes: true })) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      else if (!entry.isFile()) skipped(path);
      else if (!UNFINISHED.test(entry.name)) found.push(path);
    }
  }
  await walk('');
  return found.sort();
}

/** Drafts of an upload or of a prompt file update, in progress or left behind. */
const UNFINISHED = /^\.[\da-f-]{36}\.tmp$/;

/** Writes the whole file or nothing. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.tmp`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** Syncs a folder: what was created, renamed or removed in it is on disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Syncs a folder and everything below it. */
export async function syncFolders(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(path, entry.name));
  await syncFolder(path);
}

export const removeAll = (path: string) => rm(path, { recursive: true, force: true });
