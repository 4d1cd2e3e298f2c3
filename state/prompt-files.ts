/** Prompt files that servers share in their database, as rows: what a driver keeps of them. */

/** Names are checked before they come here. */
export interface PromptPlace {
  revision: string;
  file: string;
}

export interface StoredPrompt {
  version: number;
  /** Milliseconds. */
  createdAt: number;
  /** null where it was written into the table by hand. */
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
  places(): Promise<PromptPlace[]>;
  /** The version in force, or an earlier one; `content` is null where it has more than `mostBytes`. */
  read(
    place: PromptPlace,
    asked: { mostBytes: number; version?: number | undefined },
  ): Promise<(StoredPrompt & { content: Uint8Array | null }) | undefined>;
  /** The versions before the one in force, newest first. */
  earlier(place: PromptPlace): Promise<StoredPrompt[]>;
  /** Puts it in the place of that version, or where there is none; undefined if something else is in force by now. */
  replace(
    place: PromptPlace,
    version: number | undefined,
    prompt: NewPrompt,
  ): Promise<StoredPrompt | undefined>;
  /** A number that is another one after every change, whoever made it. */
  change(): Promise<number>;
  /** `listen` hears of changes, those of other servers included, as far as their hints arrive. Returns what ends it. */
  watch(listen: () => void): () => void;
}
