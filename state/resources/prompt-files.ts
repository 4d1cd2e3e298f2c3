/** Prompt files in the database that servers share. */

/** Names are validated by the caller. */
export interface PromptKey {
  revision: string;
  file: string;
}

export interface StoredPrompt {
  version: number;
  /** Milliseconds. */
  createdAt: number;
  /** Null if the row was written by hand. */
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
  /** Reads the current or an earlier version. `content` is null if it is longer than `mostBytes`. */
  read(
    key: PromptKey,
    options: { mostBytes: number; version?: number | undefined },
  ): Promise<(StoredPrompt & { content: Uint8Array | null }) | undefined>;
  /** The versions before the current one, newest first. */
  earlier(key: PromptKey): Promise<StoredPrompt[]>;
  /** Replaces `version`, or creates the file if it is undefined. Undefined if another version is current. */
  replace(key: PromptKey, version: number | undefined, prompt: NewPrompt): Promise<StoredPrompt | undefined>;
  /** A number that changes with every change by any server. */
  change(): Promise<number>;
  /** Calls `listen` after changes, including those of other servers if their notifications arrive. Returns unsubscribe. */
  watch(listen: () => void): () => void;
}
