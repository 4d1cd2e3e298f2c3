/** Where prompt files and their versions are kept: the interface of every back end. */
import { createHash } from 'node:crypto';
import type { PromptName } from './names.ts';

/** A file larger than this is neither saved nor used. */
export const MAX_PROMPT_BYTES = 64 * 1024;

/** So many versions of a file are kept. */
export const KEPT_VERSIONS = 50;

export interface PromptVersion {
  /** Counts from 1; 0 is the shipped file. */
  version: number;
  /** ISO 8601; null for the shipped file. */
  created_at: string | null;
  /** Who saved it; null for a file that was put into the folder by hand. */
  author: string | null;
  /** Bytes. */
  size: number;
}

export interface PromptFile extends PromptVersion {
  bytes: Uint8Array;
  /** Of this version and these bytes, quoted as the header has it. */
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
  /** The value of an `If-Match` header: the write is refused unless the newest version is named. */
  ifMatch?: string | undefined;
}

/** Names that break the rule are PROMPT_NOT_FOUND where one reads, PROMPT_INVALID where one writes. */
export interface PromptStore {
  revisions(): Promise<Revision[]>;
  /** Sorted file names; PROMPT_NOT_FOUND for a revision that is not there. */
  list(revision: string): Promise<string[]>;
  /** The newest version or the one that is asked for; PROMPT_NOT_FOUND. */
  read(name: PromptName, version?: number): Promise<PromptFile>;
  /** Gives the new version; PROMPT_CONFLICT, PROMPT_INVALID, PROMPT_STORAGE_FAILED. The old one stays until it is whole. */
  write(name: PromptName, write: Write): Promise<PromptVersion>;
  /** Newest first, the one in force included. */
  history(name: PromptName): Promise<PromptVersion[]>;
  /** Rejects with PROMPT_STORAGE_FAILED when the storage cannot be used. */
  check(): Promise<void>;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** An earlier text that comes back has another version, and so another tag. */
export function etagOf(version: number, bytes: Uint8Array): string {
  return `"${version}-${hashOf(bytes).slice(0, 32)}"`;
}
