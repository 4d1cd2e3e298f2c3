/** Prompt files in a local folder, laid over the shipped ones: `<path>/<revision>/<file>`, history in `<path>/.history`. */
import { mkdir } from 'node:fs/promises';
import { SkeinError } from '../../state/errors.ts';
import {
  DEFAULT_REVISION,
  isPromptFile,
  isPromptName,
  isRevision,
  type PromptName,
  promptError,
  revisionPlace,
} from '../names.ts';
import type { PromptSource } from '../prompts.ts';
import {
  etagOf,
  MAX_PROMPT_BYTES,
  type PromptFile,
  type PromptStore,
  type PromptVersion,
  type Write,
} from '../store.ts';
import { type Folder, openFolder, storageReason } from './folder.ts';
import { currentVersion, earlierVersions, newestSaved, replaceVersion, within } from './revision.ts';
import { revisionsOf } from './revisions.ts';
import type { Saved } from './versions.ts';

interface LocalParts {
  path: string;
  shipped: PromptSource;
  now?: () => Date;
}

export function localStore({ path, shipped, now = () => new Date() }: LocalParts): PromptStore {
  let writes: Promise<unknown> = Promise.resolve();

  /** One after another: a version has one successor. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = writes.then(work);
    writes = turn.catch(() => {});
    return turn;
  }

  async function inRoot<T>(work: (root: Folder) => Promise<T>): Promise<T | undefined> {
    const root = await openFolder(path);
    return root && work(root).finally(() => root.close());
  }

  async function shippedVersion({ revision, file }: PromptName): Promise<Saved | undefined> {
    const found = revision === DEFAULT_REVISION ? await shipped.read(file, revision) : undefined;
    if (!found) return undefined;
    const bytes = Buffer.from(found.text);
    return { version: 0, created_at: null, author: 'shipped', size: bytes.byteLength, bytes };
  }

  async function inForce(name: PromptName): Promise<Saved | undefined> {
    return (await inRoot((root) => currentVersion(root, name))) ?? (await shippedVersion(name));
  }

  async function versions(name: PromptName): Promise<Saved[]> {
    const current = await inForce(name);
    if (!current) throw promptError('PROMPT_NOT_FOUND', name);
    const earlier = (await inRoot((root) => earlierVersions(root, name))) ?? [];
    const base = current.version > 0 ? await shippedVersion(name) : undefined;
    const before = earlier.filter(({ version }) => version < current.version);
    return [current, ...before, ...(base ? [base] : [])];
  }

  async function write(name: PromptName, { bytes, author, ifMatch }: Write): Promise<PromptVersion> {
    await mkdir(path, { recursive: true });
    const before = await inForce(name);
    if (ifMatch !== undefined && !matches(ifMatch, before)) throw promptError('PROMPT_CONFLICT', name);
    const newest = (await inRoot((root) => newestSaved(root, name)))?.version ?? 0;
    const version = Math.max(before?.version ?? 0, newest) + 1;
    const size = bytes.byteLength;
    const after = { version, created_at: now().toISOString(), author, size, bytes };
    await inRoot((root) => replaceVersion(root, name, before, after));
    return versionOf(after);
  }

  return {
    revisions: () => inStorage('the prompt folder', () => revisionsOf(inRoot, shipped)),
    async list(revision) {
      const unknown = new SkeinError('PROMPT_NOT_FOUND', {
        message: 'There is no such prompt revision',
        detail: revisionPlace(revision),
      });
      if (!isRevision(revision)) throw unknown;
      const own = await inStorage(revisionPlace(revision), () =>
        inRoot((root) => within(root, [revision], (folder) => folder.files())),
      );
      const base = revision === DEFAULT_REVISION ? await shipped.list() : [];
      const files = new Set([...base, ...(own ?? []).filter(isPromptFile)]);
      if (files.size === 0 && revision !== DEFAULT_REVISION) throw unknown;
      return [...files].sort();
    },
    async read(name, version) {
      if (!isPromptName(name)) throw promptError('PROMPT_NOT_FOUND', name);
      return inStorage(name, async () => {
        if (version === undefined) {
          const current = await inForce(name);
          if (current) return fileOf(current);
          throw promptError('PROMPT_NOT_FOUND', name);
        }
        const found = (await versions(name)).find((one) => one.version === version);
        if (!found) throw promptError('PROMPT_NOT_FOUND', name, `there is no version ${version}`);
        return fileOf(found);
      });
    },
    async write(name, saved) {
      if (!isPromptName(name)) throw promptError('PROMPT_INVALID', name, 'not a name for a prompt file');
      if (saved.bytes.byteLength > MAX_PROMPT_BYTES)
        throw promptError('PROMPT_INVALID', name, `larger than ${MAX_PROMPT_BYTES} bytes`);
      return inTurn(() => inStorage(name, () => write(name, saved)));
    },
    async history(name) {
      if (!isPromptName(name)) throw promptError('PROMPT_NOT_FOUND', name);
      return inStorage(name, async () => (await versions(name)).map(versionOf));
    },
  };
}

/** Whatever the file system says becomes PROMPT_STORAGE_FAILED, without its paths. */
async function inStorage<T>(name: PromptName | string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SkeinError) throw cause;
    const reason = storageReason(cause);
    if (typeof name !== 'string') throw promptError('PROMPT_STORAGE_FAILED', name, reason, cause);
    throw new SkeinError('PROMPT_STORAGE_FAILED', { detail: `${name}: ${reason}`, cause });
  }
}

function matches(ifMatch: string, current: Saved | undefined): boolean {
  if (!current) return false;
  if (ifMatch.trim() === '*') return true;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  return tags.includes(etagOf(current.version, current.bytes));
}

function versionOf({ version, created_at, author, size }: Saved): PromptVersion {
  return { version, created_at, author, size };
}

function fileOf(saved: Saved): PromptFile {
  return { ...saved, etag: etagOf(saved.version, saved.bytes) };
}
