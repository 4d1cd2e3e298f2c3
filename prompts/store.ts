/** The interface of a storage of prompt files and their versions. */
import { createHash } from 'node:crypto';
import type { PromptName } from './names.ts';

/** A larger file is neither saved nor used. */
export const MAX_PROMPT_BYTES = 64 * 1024;

/** The number of versions that are kept per file. */
export const KEPT_VERSIONS = 50;

export interface PromptVersion {
  /** Counts from 1; 0 is the shipped file. */
  version: number;
  /** ISO 8601; null for the shipped file. */
  created_at: string | null;
  /** The author; null for a file that was added without the store. */
  author: string | null;
  /** Bytes. */
  size: number;
}

export interface PromptFile extends PromptVersion {
  bytes: Uint8Array;
  /** Identifies this version and its bytes; quoted, as in the header. */
  etag: string;
}

type Storage = 'local' | 'azure' | 'postgresql';

export interface Revision {
  revision_id: string;
  files: number;
  source: 'shipped' | Storage | `shipped+${Storage}`;
}

export interface Write {
  bytes: Uint8Array;
  author: string;
  /** The value of an `If-Match` header: the write is rejected unless it matches the newest version. */
  ifMatch?: string | undefined;
}

/** Invalid names throw PROMPT_NOT_FOUND in reads, PROMPT_INVALID in writes. */
export interface PromptStore {
  revisions(): Promise<Revision[]>;
  /** Sorted file names; PROMPT_NOT_FOUND if the revision doesn't exist. */
  list(revision: string): Promise<string[]>;
  /** The newest version or the requested one; PROMPT_NOT_FOUND. */
  read(name: PromptName, version?: number): Promise<PromptFile>;
  /** Returns the new version; PROMPT_CONFLICT, PROMPT_INVALID, PROMPT_STORAGE_FAILED. The old one stays until the new one is complete. */
  write(name: PromptName, write: Write): Promise<PromptVersion>;
  /** Newest first, including the active one. */
  history(name: PromptName): Promise<PromptVersion[]>;
  /** Rejects with PROMPT_STORAGE_FAILED if the storage cannot be used. */
  check(): Promise<void>;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A restored earlier text has another version and so another tag. */
export function etagOf(version: number, bytes: Uint8Array): string {
  return `"${version}-${hashOf(bytes).slice(0, 32)}"`;
}
