/** The prompt files for model calls: those of the database over the shipped ones, cached until one changes. */
import { SkeinError } from '../../state/errors.ts';
import type { PromptFiles } from '../../state/resources/prompt-files.ts';
import { lookUp } from '../lookup.ts';
import { isPromptName, type PromptName, promptError } from '../names.ts';
import type { PromptSource, PromptText } from '../prompts.ts';
import { hashOf, MAX_PROMPT_BYTES } from '../store.ts';
import { contentOf, databaseReason } from './backend.ts';

/** Without a notification, a change by another server takes effect after this long at most; a local one at the next call. */
export const FRESH_MS = 1_500;
/** How long cached texts are used while the database is unavailable. */
const STALE_MS = 60_000;
const MAX_CACHED = 1_000;

export interface PostgresSource extends PromptSource {
  /** This process has activated a version. */
  wrote(): void;
}

interface SourceParts {
  files: PromptFiles;
  shipped: PromptSource;
  /** Milliseconds of a monotonic clock. */
  clock?: () => number;
}

export function postgresSource({
  files,
  shipped,
  clock = () => performance.now(),
}: SourceParts): PostgresSource {
  // A response from before a change goes into the map of its request.
  let known = new Map<string, Promise<PromptText | undefined>>();
  let change: number | undefined;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let due = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  files.watch(() => {
    due = Number.NEGATIVE_INFINITY;
  });

  /** One small query for all files. */
  async function confirmed(): Promise<void> {
    if (!asking && clock() < due) return;
    asking ??= confirm().finally(() => {
      asking = undefined;
    });
    await asking;
  }

  async function confirm(): Promise<void> {
    // A notification that arrives meanwhile triggers another check.
    due = clock() + FRESH_MS;
    try {
      const now = await files.change();
      if (now !== change) known = new Map();
      change = now;
      confirmedAt = clock();
    } catch (error) {
      // A short outage of the database does not fail turns.
      if (clock() - confirmedAt <= STALE_MS) return;
      due = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  async function own(name: PromptName): Promise<PromptText | undefined> {
    if (!isPromptName(name)) return undefined;
    await confirmed();
    const texts = known;
    const key = `${name.revision}/${name.file}`;
    const before = texts.get(key);
    if (before) return before;
    const text = textOf(files, name);
    texts.set(key, text);
    const [oldest] = texts.keys();
    if (texts.size > MAX_CACHED && oldest !== undefined) texts.delete(oldest);
    return text.catch((error: unknown) => {
      texts.delete(key);
      throw error;
    });
  }

  return {
    list: () => shipped.list(),
    async read(wanted, revision) {
      try {
        return await lookUp(wanted, revision, { own, shipped });
      } catch (cause) {
        if (cause instanceof SkeinError) throw cause;
        const name = { revision, file: wanted.file };
        throw promptError('PROMPT_STORAGE_FAILED', name, databaseReason(cause), cause);
      }
    },
    wrote() {
      known = new Map();
      due = Number.NEGATIVE_INFINITY;
    },
  };
}

async function textOf(files: PromptFiles, name: PromptName): Promise<PromptText | undefined> {
  const found = await files.read(name, { mostBytes: MAX_PROMPT_BYTES });
  if (!found) return undefined;
  const bytes = contentOf(found);
  const { revision, file } = name;
  const used = { filename: file, revision_id: revision, version: found.version, sha256: hashOf(bytes) };
  return { text: new TextDecoder().decode(bytes), used };
}
