/** A folder with an open handle: files are opened in it by name, so that no link and no swapped folder leads out of it. */
import { type BigIntStats, constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_PROMPT_BYTES } from '../store.ts';

export interface Folder {
  /** All entries of any kind, except those that are deleted meanwhile. */
  entries(): Promise<Entry[]>;
  entry(name: string): Promise<Entry | undefined>;
  /** Names of regular files. */
  files(): Promise<string[]>;
  folders(): Promise<string[]>;
  /** The subfolder with that name; undefined if it doesn't exist or is something else. */
  folder(name: string): Promise<Folder | undefined>;
  /** Creates it if it doesn't exist. Throws if the name is taken by something else. */
  made(name: string): Promise<Folder>;
  /** The file with that name; undefined if it doesn't exist, or is a link, a folder or a device. */
  read(name: string, limit?: number): Promise<FileContent | undefined>;
  /** Replaces the file atomically and durably. */
  write(name: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface FileContent {
  bytes: Uint8Array;
  modified: Date;
  stamp: string;
}

export interface Entry {
  name: string;
  /** `nameless`: its name is not UTF-8. */
  kind: 'file' | 'folder' | 'link' | 'other' | 'nameless';
  bytes: number;
  modified: Date;
  /** Changes with the file, except for changes within the resolution of the file system's clock. */
  stamp: string;
}

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Links in `path` itself are the operator's and are followed. */
export async function openFolder(path: string): Promise<Folder | undefined> {
  return absentAs(undefined, async () => folderOf(await open(path, O_RDONLY | O_DIRECTORY), path));
}

function folderOf(handle: FileHandle, path: string): Folder {
  // On Linux, an open folder has a separate path, which stays valid if the folder is renamed or replaced.
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  const inside = (name: string) => join(base, name);

  async function names(wanted: (entry: Dirent) => boolean): Promise<string[]> {
    return (await readdir(base, { withFileTypes: true })).filter(wanted).map(({ name }) => name);
  }

  async function folder(name: string): Promise<Folder | undefined> {
    const opened = () => open(inside(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return absentAs(undefined, async () => folderOf(await opened(), join(path, name)));
  }

  const entry = (name: string) => absentAs(undefined, () => entryOf(name, inside(name)));

  return {
    entry,
    entries: async () => {
      const found: Entry[] = [];
      // Limited concurrency, because each stat occupies a thread.
      for (const some of portions(await readdir(base), 64)) {
        const looks = some.map(async (name) => (await entry(name)) ?? nameless(name));
        found.push(...(await Promise.all(looks)).filter((entry) => entry !== undefined));
      }
      return found;
    },
    files: () => names((entry) => entry.isFile()),
    folders: () => names((entry) => entry.isDirectory()),
    folder,
    async made(name) {
      await mkdir(inside(name)).then(() => handle.sync(), ignoring('EEXIST'));
      const there = await folder(name);
      if (!there) throw new Error('its name is taken by something that is not a folder');
      return there;
    },
    read: (name, limit = MAX_PROMPT_BYTES) => absentAs(undefined, () => readFile(inside(name), limit)),
    async write(name, content) {
      const before = await absentAs(undefined, () => lstat(inside(name)));
      if (before && !before.isFile()) throw new Error('its name is taken by something that is not a file');
      const temporary = inside(`.${Bun.randomUUIDv7()}.tmp`);
      try {
        const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
        await writeInto(file, content)
          .then(() => file.sync())
          .finally(() => file.close());
        await rename(temporary, inside(name));
      } catch (error) {
        await unlink(temporary).catch(() => {});
        throw error;
      }
      await handle.sync();
    },
    remove: (name) => unlink(inside(name)).catch(ignoring('ENOENT')),
    close: () => handle.close(),
  };
}

/** The system's code, or the message of this file's own errors; nothing of other errors. */
export function storageReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  return error instanceof Error && error.constructor === Error ? error.message : 'unexpected';
}

async function readFile(path: string, limit: number) {
  // Checked before opening, which may have side effects on a device.
  if (!(await lstat(path)).isFile()) return undefined;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) return undefined;
    if (found.size > limit) throw new Error(`larger than ${limit} bytes`);
    const { buffer, byteOffset, byteLength } = await file.readFile();
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    return { bytes, modified: found.mtime, stamp: stampOf(found) };
  } finally {
    await file.close();
  }
}

async function writeInto(file: FileHandle, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  if (content instanceof Uint8Array) return file.writeFile(content);
  for await (const piece of content)
    for (let at = 0; at < piece.length; ) at += (await file.write(piece, at)).bytesWritten;
}

async function entryOf(name: string, path: string): Promise<Entry> {
  const found = await lstat(path, { bigint: true });
  const kind = found.isFile()
    ? 'file'
    : found.isDirectory()
      ? 'folder'
      : found.isSymbolicLink()
        ? 'link'
        : 'other';
  return { name, kind, bytes: Number(found.size), modified: found.mtime, stamp: stampOf(found) };
}

function nameless(name: string): Entry | undefined {
  if (!name.includes('\uFFFD')) return undefined;
  return { name, kind: 'nameless', bytes: 0, modified: new Date(0), stamp: 'nameless' };
}

function stampOf({ ino, ctimeNs, mtimeNs, size }: BigIntStats): string {
  return [ino, ctimeNs, mtimeNs, size].join(' ');
}

function* portions<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

// Missing, a link, not a folder, or the name is too long.
const ABSENT = ['ENOENT', 'ELOOP', 'ENOTDIR', 'ENAMETOOLONG', 'ENXIO'];

async function absentAs<T, A>(absent: A, work: () => Promise<T>): Promise<T | A> {
  return work().catch((error) => {
    if (ABSENT.includes(error.code)) return absent;
    throw error;
  });
}

function ignoring(code: string) {
  return (error: NodeJS.ErrnoException) => {
    if (error.code !== code) throw error;
  };
}
