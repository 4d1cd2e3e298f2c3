/** The prompt files for model calls: blobs over the shipped files, cached for some seconds. */
import { lookUp } from '../lookup.ts';
import { isPromptName, type PromptName, promptError } from '../names.ts';
import type { PromptSource, PromptText } from '../prompts.ts';
import { hashOf } from '../store.ts';
import { blobName, type Written } from './backend.ts';
import { type Blob, type Blobs, blobReason } from './blobs.ts';

/** An update from elsewhere takes effect after this long at most; a local one at the next call. */
export const FRESH_MS = 5_000;
/** How long a cached text is used while the storage is unavailable. */
const STALE_MS = 60_000;
const MAX_CACHED = 1_000;

interface Found {
  etag: string;
  text: PromptText;
}

interface Known {
  /** Undefined if the blob doesn't exist. */
  found: Found | undefined;
  /** When the storage confirmed it. */
  at: number;
  /** When to check again. */
  due: number;
}

export interface AzureSource extends PromptSource {
  wrote(name: PromptName, blob: Written): void;
}

interface SourceParts {
  blobs: Blobs;
  shipped: PromptSource;
  /** Milliseconds of a monotonic clock. */
  clock?: () => number;
}

export function azureSource({ blobs, shipped, clock = () => performance.now() }: SourceParts): AzureSource {
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<PromptText | undefined>>();

  async function own(name: PromptName): Promise<PromptText | undefined> {
    if (!isPromptName(name)) return undefined;
    const path = blobName(name);
    const before = known.get(path);
    if (before && clock() < before.due) return before.found?.text;
    const request = asking.get(path) ?? ask(name, before);
    asking.set(path, request);
    return request;
  }

  function ask(name: PromptName, before: Known | undefined): Promise<PromptText | undefined> {
    const path = blobName(name);
    const request = confirmed(name, before)
      .then((now) => {
        // A write that happened meanwhile is newer than this response.
        if (asking.get(path) === request) keep(path, now);
        return now.found?.text;
      })
      .finally(() => {
        if (asking.get(path) === request) asking.delete(path);
      });
    return request;
  }

  async function confirmed(name: PromptName, before: Known | undefined): Promise<Known> {
    try {
      const blob = await blobs.get(blobName(name), before?.found?.etag);
      const found = blob === 'unchanged' ? before?.found : blob && foundIn(name, blob, versionOf(blob));
      return { found, at: clock(), due: clock() + FRESH_MS };
    } catch (error) {
      // A short outage of the storage does not fail turns.
      if (!before || clock() - before.at > STALE_MS) throw error;
      return { ...before, due: clock() + FRESH_MS };
    }
  }

  function keep(path: string, now: Known): void {
    known.delete(path);
    known.set(path, now);
    const [oldest] = known.keys();
    if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest);
  }

  return {
    list: () => shipped.list(),
    async read(wanted, revision) {
      try {
        return await lookUp(wanted, revision, { own, shipped });
      } catch (cause) {
        const name = { revision, file: wanted.file };
        throw promptError('PROMPT_STORAGE_FAILED', name, blobReason(cause), cause);
      }
    },
    wrote(name, blob) {
      const path = blobName(name);
      asking.delete(path);
      keep(path, { found: foundIn(name, blob, blob.version), at: clock(), due: clock() + FRESH_MS });
    },
  };
}

/** Unknown for a blob that was added without the store, since it would require the whole history. */
function versionOf({ bytes, metadata: { version, sha256 } }: Blob): number | null {
  return sha256 === hashOf(bytes) ? Number(version) : null;
}

function foundIn(
  { revision, file }: PromptName,
  { bytes, etag }: Pick<Blob, 'bytes' | 'etag'>,
  version: number | null,
): Found {
  const used = { filename: file, revision_id: revision, version, sha256: hashOf(bytes) };
  return { etag, text: { text: new TextDecoder().decode(bytes), used } };
}
