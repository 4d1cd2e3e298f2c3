/** The result of examining a document: its catalog entry, and its bytes if they have changed. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SkeinError } from '../../../../state/errors.ts';
import type { Catalog, Entry } from '../index/catalog.ts';
import type { DocumentFolder } from './document-folder.ts';

export interface Draft {
  entry: Entry;
  /** The bytes to read; absent if the passages are unchanged or the document cannot be opened. */
  bytes?: Uint8Array;
}

interface Parts {
  folder: DocumentFolder;
  catalog: Catalog;
}

/** Undefined if the document no longer exists. Throws if a failure is not caused by the document. */
export async function draftOf(name: string, { folder, catalog }: Parts): Promise<Draft | undefined> {
  const found = await folder.look(name);
  if (!found) return undefined;
  const { bytes, modified } = found;
  const failed = (error: string, stamp: string): Draft => ({
    entry: { name, revision: catalog.nextRevision(), stamp, hash: '', bytes, modified, ...UNREAD, error },
  });
  if (found.refused !== undefined) return failed(found.refused, found.stamp);
  const file = await folder.read(name).catch((error: unknown) => reasonOf(error));
  if (typeof file === 'string') return failed(`It cannot be opened (${file})`, found.stamp);
  if (!file) return undefined;
  const stamp = folder.exactStamps ? file.stamp : settled(file.stamp, modified);
  const hash = await hashOf(file.bytes);
  const before = catalog.find(name);
  const isSame = before?.hash === hash;
  if (isSame && before.retryAt === null) return { entry: { ...before, stamp, modified } };
  const revision = catalog.nextRevision();
  const size = file.bytes.byteLength;
  const tries = isSame ? before.tries : 0;
  const entry = { name, revision, stamp, hash, bytes: size, modified, ...UNREAD, tries };
  return { entry, bytes: file.bytes };
}

const UNREAD = { chunks: 0, error: null, retryAt: null, tries: 0 };

// Two changes within the resolution of a file system's clock look the same.
const SETTLED_MS = 50;

/** Returns an empty stamp as long as the file could change without getting a new stamp, so that it is examined again. */
function settled(stamp: string, modified: Date): string {
  return Math.abs(Date.now() - modified.getTime()) > SETTLED_MS ? stamp : '';
}

const SLICE = 1024 * 1024;

async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.byteLength; at += SLICE) {
    hash.update(bytes.subarray(at, at + SLICE));
    await nextTurn();
  }
  return hash.digest('hex');
}

/** An unavailable store doesn't count as a failure of the document. */
function reasonOf(error: unknown): string {
  if (error instanceof SkeinError && error.code === 'DATABASE_CONNECTION_FAILED') throw error;
  return error instanceof Error && 'code' in error ? String(error.code) : 'unexpected';
}
