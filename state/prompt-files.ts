/** Prompt files in the servers' shared database, as rows. */

/** Names are validated by the caller. */
export interface PromptKey {
  revision: string;
  file: string;
}

export interface StoredPrompt {
  version: number;
  /** Milliseconds. */
  createdAt: number;
  /** Null if it was written into the table by hand. */
  author: string | null;
  /** Bytes. */
  size: number;
}

export interface NewPrompt {
  content: Uint8Array;
  author: string | null;
  createdAt: number;
}

export interface PromptFiles {
  keys(): Promise<PromptKey[]>;
  /** The current version, or an earlier one; `content` is null if it is longer than `mostBytes`. */
  read(
    place: PromptKey,
    asked: { mostBytes: number; version?: number | undefined },
  ): Promise<(StoredPrompt & { content: Uint8Array | null }) | undefined>;
  /** The versions before the current one, newest first. */
  earlier(place: PromptKey): Promise<StoredPrompt[]>;
  /** Replaces that version, or creates the file; undefined if another version is current by now. */
  replace(
    place: PromptKey,
    version: number | undefined,
    prompt: NewPrompt,
  ): Promise<StoredPrompt | undefined>;
  /** A number that differs after every change, by any server. */
  change(): Promise<number>;
  /** Calls `listen` after changes, also those of other servers if their hints arrive. The returned function unsubscribes. */
  watch(listen: () => void): () => void;
}
