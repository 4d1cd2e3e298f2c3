/** The prompt files of a back end, layered over the shipped ones, with the same names, versions, tags and errors for all. */
import { SkeinError } from '../state/errors.ts';
import { fileQueue } from './file-queue.ts';
import {
  DEFAULT_REVISION,
  describeRevision,
  isPromptFile,
  isPromptName,
  isRevision,
  type PromptName,
  promptError,
} from './names.ts';
import type { PromptSource } from './prompts.ts';
import {
  etagOf,
  MAX_PROMPT_BYTES,
  type PromptFile,
  type PromptStore,
  type PromptVersion,
  type Revision,
  type Write,
} from './store.ts';

export interface Saved extends PromptVersion {
  bytes: Uint8Array;
}

/** The active version; `mark` identifies this state of the file in the back end. */
export interface InForce extends Saved {
  mark?: string | undefined;
}

export interface Recorded extends PromptVersion {
  bytes(): Promise<Uint8Array>;
}

export type Text = Pick<Saved, 'bytes' | 'author' | 'created_at'>;

/** A back end's access to its own files. Names are validated before it is called. */
export interface PromptBackend {
  name: 'local' | 'azure' | 'postgresql';
  /** The files of each revision, or of one. */
  files(revision?: string): Promise<Map<string, string[]>>;
  current(name: PromptName): Promise<InForce | undefined>;
  /** Newest first; may include the active one. */
  recorded(name: PromptName): Promise<Recorded[]>;
  /** Archives `before` and atomically activates `after`; undefined if the file has changed meanwhile. */
  replace(name: PromptName, before: InForce | undefined, after: Text): Promise<Saved | undefined>;
  /** Rejects if it cannot be used. */
  check(): Promise<void>;
  /** The reason of a failure, without paths, hosts or secrets. */
  reasonOf(error: unknown): string;
}

interface LayeredParts {
  backend: PromptBackend;
  shipped: PromptSource;
}

// Each attempt lost to another process: that doesn't happen so many times in a row.
const MAX_TRIES = 30;
const PAUSE_MS = 50;
const PATIENCE_MS = 30_000;

export function layeredStore({ backend, shipped }: LayeredParts): PromptStore {
  const inStorage = storageErrors(backend);
  // A version has one successor.
  const oneByOne = fileQueue(PATIENCE_MS);

  async function shippedVersion({ revision, file }: PromptName): Promise<Saved | undefined> {
    const found = revision === DEFAULT_REVISION ? await shipped.read({ file }, revision) : undefined;
    if (!found) return undefined;
    const bytes = Buffer.from(found.text);
    return { version: 0, created_at: null, author: 'shipped', size: bytes.byteLength, bytes };
  }

  async function inForce(name: PromptName): Promise<Saved> {
    const found = (await backend.current(name)) ?? (await shippedVersion(name));
    if (!found) throw promptError('PROMPT_NOT_FOUND', name);
    return found;
  }

  async function versions(name: PromptName): Promise<Recorded[]> {
    const current = await inForce(name);
    const earlier = (await backend.recorded(name)).filter(({ version }) => version < current.version);
    const base = current.version > 0 ? await shippedVersion(name) : undefined;
    return [recorded(current), ...earlier, ...(base ? [recorded(base)] : [])];
  }

  async function earlierFile(name: PromptName, version: number): Promise<PromptFile> {
    const found = (await versions(name)).find((one) => one.version === version);
    if (!found) throw promptError('PROMPT_NOT_FOUND', name, `version ${version} does not exist`);
    return fileOf({ ...found, bytes: await found.bytes() });
  }

  async function write(name: PromptName, { bytes, author, ifMatch }: Write): Promise<PromptVersion> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const before = await backend.current(name);
      const seen = before ?? (await shippedVersion(name));
      if (ifMatch !== undefined && !matches(ifMatch, seen)) throw promptError('PROMPT_CONFLICT', name);
      const after = await backend.replace(name, before, {
        bytes,
        author,
        created_at: new Date().toISOString(),
      });
      if (after) return versionOf(after);
      await Bun.sleep(Math.random() * PAUSE_MS);
    }
    throw promptError('PROMPT_STORAGE_FAILED', name, 'too many concurrent writes');
  }

  return {
    revisions: () =>
      inStorage('the prompt storage', async () => revisionsOf(backend, await backend.files(), shipped)),
    async list(revision) {
      const own = isRevision(revision)
        ? await inStorage(describeRevision(revision), () => backend.files(revision))
        : undefined;
      const base = revision === DEFAULT_REVISION ? await shipped.list() : [];
      const files = new Set([...base, ...(own?.get(revision) ?? []).filter(isPromptFile)]);
      if (files.size === 0 && revision !== DEFAULT_REVISION) throw unknownRevision(revision);
      return [...files].sort();
    },
    async read(name, version) {
      if (!isPromptName(name)) throw promptError('PROMPT_NOT_FOUND', name);
      return inStorage(name, async () =>
        version === undefined ? fileOf(await inForce(name)) : earlierFile(name, version),
      );
    },
    async write(name, saved) {
      if (!isPromptName(name)) throw promptError('PROMPT_INVALID', name, 'not a valid name of a prompt file');
      if (saved.bytes.byteLength > MAX_PROMPT_BYTES)
        throw promptError('PROMPT_INVALID', name, `larger than ${MAX_PROMPT_BYTES} bytes`);
      return oneByOne(`${name.revision}/${name.file}`, () => inStorage(name, () => write(name, saved)));
    },
    async history(name) {
      if (!isPromptName(name)) throw promptError('PROMPT_NOT_FOUND', name);
      return inStorage(name, async () => (await versions(name)).map(versionOf));
    },
    check: () => inStorage('the prompt storage', () => backend.check()),
  };
}

/** Sorted by name; a revision without prompt files is left out. */
async function revisionsOf(
  { name }: PromptBackend,
  files: Map<string, string[]>,
  shipped: PromptSource,
): Promise<Revision[]> {
  const base = await shipped.list();
  const own = files.get(DEFAULT_REVISION) ?? [];
  const all: Revision[] = [
    {
      revision_id: DEFAULT_REVISION,
      files: new Set([...base, ...own]).size,
      source: own.length > 0 ? `shipped+${name}` : 'shipped',
    },
  ];
  for (const [revision_id, { length }] of files)
    if (revision_id !== DEFAULT_REVISION && length > 0)
      all.push({ revision_id, files: length, source: name });
  return all.sort((a, b) => (a.revision_id < b.revision_id ? -1 : 1));
}

/** Converts a back end's errors to PROMPT_STORAGE_FAILED, with the reason that may be shown. */
function storageErrors({ reasonOf }: PromptBackend) {
  return async function inStorage<T>(name: PromptName | string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof SkeinError) throw cause;
      const reason = reasonOf(cause);
      if (typeof name !== 'string') throw promptError('PROMPT_STORAGE_FAILED', name, reason, cause);
      throw new SkeinError('PROMPT_STORAGE_FAILED', { detail: `${name}: ${reason}`, cause });
    }
  };
}

function unknownRevision(revision: string): SkeinError {
  const message = 'Prompt revision not found';
  return new SkeinError('PROMPT_NOT_FOUND', { message, detail: describeRevision(revision) });
}

function matches(ifMatch: string, current: Saved | undefined): boolean {
  if (!current) return false;
  if (ifMatch.trim() === '*') return true;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  return tags.includes(etagOf(current.version, current.bytes));
}

function versionOf({ version, created_at, author, size }: PromptVersion): PromptVersion {
  return { version, created_at, author, size };
}

function recorded(saved: Saved): Recorded {
  return { ...versionOf(saved), bytes: async () => saved.bytes };
}

function fileOf(saved: Saved): PromptFile {
  const { version, bytes } = saved;
  return { ...versionOf(saved), bytes, etag: etagOf(version, bytes) };
}
