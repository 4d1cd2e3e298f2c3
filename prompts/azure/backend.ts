/** Prompt files as blobs: `<revision>/<file>`, with the version in its metadata, and `.history/<revision>/<file>/<version>`. */
import type { InForce, PromptBackend, Recorded, Saved } from '../layered-store.ts';
import { isPromptFile, isRevision, type PromptName } from '../names.ts';
import { hashOf, KEPT_VERSIONS } from '../store.ts';
import { type Blob, type Blobs, blobReason } from './blobs.ts';
import { probe } from './probe.ts';

// Not a valid name of a revision.
const HISTORY = '.history/';
const RECORD = /\/([0-9]{9})$/;

/** The activated blob and its version. */
export type Written = Pick<Blob, 'bytes' | 'etag'> & { version: number };

export interface AzureBackendParts {
  blobs: Blobs;
  /** Called with each activated file of this process. */
  wrote(name: PromptName, blob: Written): void;
}

export function azureBackend({ blobs, wrote }: AzureBackendParts): PromptBackend {
  async function recorded(name: PromptName): Promise<Recorded[]> {
    const listed = await blobs.list(`${HISTORY}${blobName(name)}/`);
    return listed
      .flatMap(({ name: path, size, metadata }) => {
        const version = Number(RECORD.exec(path)?.[1] ?? 0);
        if (version === 0) return [];
        return [{ version, size, ...written(metadata), bytes: () => bytesOf(path) }];
      })
      .sort((a, b) => b.version - a.version);
  }

  async function bytesOf(path: string): Promise<Uint8Array> {
    const blob = await blobs.get(path);
    if (typeof blob !== 'object') throw new Error('a version is missing');
    return blob.bytes;
  }

  /** An existing blob has the same content: a version has one text. */
  async function record(name: PromptName, saved: Saved): Promise<void> {
    await blobs.put(recordOf(name, saved.version), { bytes: saved.bytes, metadata: metadataOf(saved) });
  }

  async function current(name: PromptName): Promise<InForce | undefined> {
    const blob = await blobs.get(blobName(name));
    if (typeof blob !== 'object') return undefined;
    const { bytes, etag: mark, metadata, modified } = blob;
    const common = { bytes, size: bytes.byteLength, mark };
    const own = Number(metadata.version);
    if (own > 0 && metadata.sha256 === hashOf(bytes))
      return { ...common, version: own, ...written(metadata) };
    // Added without the store: it becomes the version after the newest known one.
    const version = ((await recorded(name))[0]?.version ?? 0) + 1;
    return { ...common, version, created_at: modified.toISOString(), author: null };
  }

  /** Returns the new tag. The mark identifies a write of this server whose response was lost. */
  async function exchange(
    name: PromptName,
    after: Saved,
    before: string | undefined,
  ): Promise<string | undefined> {
    const write = Bun.randomUUIDv7();
    const metadata = { ...metadataOf(after), write };
    const etag = await blobs.put(blobName(name), { bytes: after.bytes, metadata }, before);
    if (etag !== undefined) return etag;
    const there = await blobs.get(blobName(name));
    return typeof there === 'object' && there.metadata.write === write ? there.etag : undefined;
  }

  return {
    name: 'azure',
    async files(revision) {
      const listed = await blobs.list(revision === undefined ? '' : `${folderOf(revision)}/`);
      return filesIn(listed.map(({ name }) => name));
    },
    current,
    recorded,
    async replace(name, before, text) {
      const earlier = (await recorded(name)).map(({ version }) => version);
      const version = Math.max(before?.version ?? 0, earlier[0] ?? 0) + 1;
      const after = { ...text, version, size: text.bytes.byteLength };
      if (before && !earlier.includes(before.version)) await record(name, before);
      const etag = await exchange(name, after, before?.mark);
      if (etag === undefined) return undefined;
      wrote(name, { bytes: after.bytes, etag, version });
      // It is active and contains its version: if recording fails, the next write does it.
      await record(name, after)
        .then(() => prune(name, earlier))
        .catch(() => {});
      return after;
    },
    check: probe(() => blobs.list(`${HISTORY}none/`)),
    reasonOf: blobReason,
  };

  async function prune(name: PromptName, before: number[]): Promise<void> {
    for (const version of before.slice(KEPT_VERSIONS - 1)) await blobs.remove(recordOf(name, version));
  }
}

/** The service drops a dot at the end of a path segment; revisions contain no tilde. */
function folderOf(revision: string): string {
  return revision.endsWith('.') ? `${revision}~` : revision;
}

export function blobName({ revision, file }: PromptName): string {
  return `${folderOf(revision)}/${file}`;
}

function recordOf(name: PromptName, version: number): string {
  return `${HISTORY}${blobName(name)}/${String(version).padStart(9, '0')}`;
}

function filesIn(paths: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const [folder = '', file = '', ...deeper] = path.split('/');
    const revision = folder.replace(/~$/, '');
    if (deeper.length > 0 || !isRevision(revision) || !isPromptFile(file)) continue;
    found.set(revision, [...(found.get(revision) ?? []), file]);
  }
  return found;
}

/** Metadata are headers, so plain ASCII. */
function metadataOf({ version, author, created_at, bytes }: Saved): Record<string, string> {
  return {
    version: String(version),
    sha256: hashOf(bytes),
    ...(created_at !== null && { created: created_at }),
    ...(author !== null && { author: encodeURIComponent(author) }),
  };
}

function written({ author, created }: Record<string, string>): Pick<Saved, 'author' | 'created_at'> {
  return { author: author === undefined ? null : decoded(author), created_at: created ?? null };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
