/** The watched folder: lists, reads and writes its documents. Links are not followed. */
import { mkdir } from 'node:fs/promises';
import { type Entry, type FileContent, type Folder, openFolder } from '../../../../prompts/local/folder.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { endingOf } from '../../documents/file-extensions.ts';
import type { Content } from '../../library.ts';

export const MAX_DOCUMENT_BYTES = 20 * 1024 * 1024;

/** A file with the name of a document. */
export interface Found extends Omit<Entry, 'kind'> {
  /** Why the file is not read. */
  refused?: string;
}

export interface Walk {
  /** False if the folder itself does not exist, or is not a folder. */
  isThere: boolean;
  documents: Map<string, Found>;
  /** Entries that are not documents, with the reason. */
  skipped: Map<string, string>;
}

export interface DocumentFolder {
  /** The interval between walks. */
  walkEveryMs: number;
  /** The minimum pause after a walk, as a multiple of its duration. */
  restAfterWalk: number;
  /** Whether each change gives a file a new stamp, even if it follows another change immediately. */
  exactStamps: boolean;
  walk(): Promise<Walk>;
  look(name: string): Promise<Found | undefined>;
  /** Undefined if it does not exist, or is not a file. Throws PAYLOAD_TOO_LARGE. */
  read(name: string): Promise<FileContent | undefined>;
  /** True if the name was new. Atomic, and durable when this resolves. Throws PAYLOAD_TOO_LARGE. */
  write(name: string, content: Content): Promise<boolean>;
  remove(name: string): Promise<boolean>;
  /** Removes unfinished writes of killed processes. */
  sweep(): Promise<void>;
}

const MAX_DEPTH = 32;
const UNFINISHED = /^\.[\da-f-]{36}\.tmp$/;
// An unfinished write that is younger than this may still be in progress in another process.
const UNFINISHED_MS = 600_000;

export function documentFolder(path: string): DocumentFolder {
  /** The writes in progress per name, and whether one that has ended created the document. */
  const writes = new Map<string, { count: number; created: boolean }>();

  /** Of concurrent writes of a new name, only the first one that ends creates it. */
  async function firstOf(name: string, write: () => Promise<boolean>): Promise<boolean> {
    const going = writes.get(name) ?? { count: 0, created: false };
    writes.set(name, going);
    going.count++;
    try {
      const created = (await write()) && !going.created;
      going.created ||= created;
      return created;
    } finally {
      if (--going.count === 0) writes.delete(name);
    }
  }

  /** Undefined if one of the parent folders is missing or a link. */
  async function inFolderOf<T>(name: string, work: (folder: Folder, file: string) => Promise<T>) {
    if (!isDocumentName(name)) return undefined;
    const parts = name.split('/');
    const file = parts.pop() ?? '';
    let folder = await openFolder(path);
    for (const part of parts) {
      const above = folder;
      folder = await above?.folder(part).finally(() => above.close());
    }
    return folder && work(folder, file).finally(() => folder.close());
  }

  return {
    walkEveryMs: 1_000,
    // Walking a large folder may take long, so limit walks to a twentieth of the time.
    restAfterWalk: 20,
    // File systems have a time resolution of some milliseconds.
    exactStamps: false,
    async walk() {
      const root = await openFolder(path);
      const walk: Walk = { isThere: root !== undefined, documents: new Map(), skipped: new Map() };
      if (root) await walkInto(root, '', walk);
      return walk;
    },
    async look(name) {
      const entry = await inFolderOf(name, (folder, file) => folder.entry(file));
      return entry && entry.kind !== 'folder' ? foundOf(name, entry) : undefined;
    },
    read: (name) =>
      inFolderOf(name, async (folder, file) => {
        const found = await folder.entry(file);
        if (found?.kind === 'file' && found.bytes > MAX_DOCUMENT_BYTES) throw tooLarge(name);
        return folder.read(file, MAX_DOCUMENT_BYTES);
      }),
    async write(name, content) {
      await mkdir(path, { recursive: true });
      return firstOf(name, async () => {
        const isNew = await inFolderOf(name, async (folder, file) => {
          const before = await folder.entry(file);
          if (before && before.kind !== 'file')
            throw new SkeinError('INVALID_REQUEST', {
              detail: 'name: already used by something that is not a file',
            });
          await folder.write(file, content instanceof Uint8Array ? content : bounded(name, content));
          return before === undefined;
        });
        if (isNew === undefined) throw new Error('its folder does not exist');
        return isNew;
      });
    },
    async remove(name) {
      const removed = await inFolderOf(name, async (folder, file) => {
        const before = await folder.entry(file);
        if (!before || before.kind === 'folder') return false;
        await folder.remove(file);
        const going = writes.get(name);
        if (going) going.created = false;
        return true;
      });
      return removed ?? false;
    },
    async sweep() {
      const folder = await openFolder(path);
      if (!folder) return;
      try {
        for (const { name, kind, modified } of await folder.entries())
          if (kind === 'file' && UNFINISHED.test(name) && Date.now() - modified.getTime() > UNFINISHED_MS)
            await folder.remove(name);
      } finally {
        await folder.close();
      }
    },
  };
}

/** Whether the name is a path in the folder: not hidden, and without `..`. */
export function isDocumentName(name: string): boolean {
  return (
    endingOf(name) !== undefined &&
    name.split('/').every((part) => /^[^.]/.test(part) && !part.includes('\0'))
  );
}

async function* bounded(name: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.byteLength;
    if (bytes > MAX_DOCUMENT_BYTES) throw tooLarge(name);
    yield piece;
  }
}

export function tooLarge(name: string): SkeinError {
  return new SkeinError('PAYLOAD_TOO_LARGE', { detail: `${name}: larger than 20 MiB` });
}

async function walkInto(folder: Folder, above: string, walk: Walk): Promise<void> {
  try {
    for (const entry of await folder.entries()) {
      const name = above + entry.name;
      if (entry.name.startsWith('.')) continue;
      if (entry.kind === 'folder') await walkBelow(folder, name, walk);
      else if (isDocumentName(name) && entry.kind !== 'nameless')
        walk.documents.set(name, foundOf(name, entry));
      else walk.skipped.set(name, skippedAs(entry));
    }
  } finally {
    await folder.close();
  }
}

async function walkBelow(folder: Folder, name: string, walk: Walk): Promise<void> {
  const parts = name.split('/');
  if (parts.length > MAX_DEPTH) {
    walk.skipped.set(name, `it is more than ${MAX_DEPTH} folders deep`);
    return;
  }
  try {
    const below = await folder.folder(parts.at(-1) ?? '');
    if (below) await walkInto(below, `${name}/`, walk);
  } catch (error) {
    walk.skipped.set(name, `the folder cannot be read (${codeOf(error)})`);
  }
}

function foundOf(name: string, { kind, ...entry }: Entry): Found {
  const found = { ...entry, name };
  if (kind === 'link') return { ...found, refused: 'It is a link, and links are not followed' };
  if (kind !== 'file') return { ...found, refused: 'It is not a file' };
  return entry.bytes > MAX_DOCUMENT_BYTES ? { ...found, refused: 'It is larger than 20 MiB' } : found;
}

function skippedAs({ kind }: Entry): string {
  if (kind === 'nameless') return 'its name is not UTF-8';
  if (kind === 'link') return 'it is a link, and links are not followed';
  return kind === 'file' ? 'documents of this kind cannot be read' : 'it is not a file';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unexpected';
}
