/** The prompt files that model calls use: blobs over the shipped ones, kept in memory for some seconds. */
import { DEFAULT_REVISION, isPromptName, type PromptName, promptError } from '../names.ts';
import type { PromptSource, PromptText } from '../prompts.ts';
import { hashOf } from '../store.ts';
import { placeOf } from './backend.ts';
import { type Blob, type Blobs, blobReason } from './blobs.ts';

/** An update that was made elsewhere is used after so long at most; one made here by the next call. */
export const FRESH_MS = 5_000;
/** So long a text is used that the storage cannot confirm. */
const STALE_MS = 60_000;
const MOST_KNOWN = 1_000;

interface Known {
  /** Undefined where there is no such blob. */
  found: (PromptText & { etag: string }) | undefined;
  /** When the storage said so. */
  at: number;
  /** When it is asked again. */
  due: number;
}

type Written = Pick<Blob, 'bytes' | 'etag' | 'metadata'>;

export interface AzureSource extends PromptSource {
  wrote(name: PromptName, blob: Written): void;
}

interface SourceParts {
  blobs: Blobs;
  shipped: PromptSource;
  /** Milliseconds of a clock that only goes forward. */
  clock?: () => number;
}

export function azureSource({ blobs, shipped, clock = () => performance.now() }: SourceParts): AzureSource {
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<PromptText | undefined>>();

  async function own(name: PromptName): Promise<PromptText | undefined> {
    if (!isPromptName(name)) return undefined;
    const place = placeOf(name);
    const before = known.get(place);
    if (before && clock() < before.due) return before.found;
    const asked = asking.get(place) ?? ask(name, before);
    asking.set(place, asked);
    return asked;
  }

  function ask(name: PromptName, before: Known | undefined): Promise<PromptText | undefined> {
    const place = placeOf(name);
    const asked = confirmed(name, before)
      .then((now) => {
        // What was written meanwhile is newer than this answer.
        if (asking.get(place) === asked) keep(place, now);
        return now.found;
      })
      .finally(() => {
        if (asking.get(place) === asked) asking.delete(place);
      });
    return asked;
  }

  async function confirmed(name: PromptName, before: Known | undefined): Promise<Known> {
    try {
      const blob = await blobs.get(placeOf(name), before?.found?.etag);
      const found = blob === 'unchanged' ? before?.found : blob && foundIn(name, blob);
      return { found, at: clock(), due: clock() + FRESH_MS };
    } catch (error) {
      // A storage that is down for a moment does not fail the turns of that moment.
      if (!before || clock() - before.at > STALE_MS) throw error;
      return { ...before, due: clock() + FRESH_MS };
    }
  }

  function keep(place: string, now: Known): void {
    known.delete(place);
    known.set(place, now);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  return {
    list: () => shipped.list(),
    async read(file, revision) {
      try {
        const found = revision === DEFAULT_REVISION ? undefined : await own({ revision, file });
        return (
          found ??
          (await own({ revision: DEFAULT_REVISION, file })) ??
          (await shipped.read(file, DEFAULT_REVISION))
        );
      } catch (cause) {
        throw promptError('PROMPT_STORAGE_FAILED', { revision, file }, blobReason(cause), cause);
      }
    },
    wrote(name, blob) {
      const place = placeOf(name);
      asking.delete(place);
      keep(place, { found: foundIn(name, blob), at: clock(), due: clock() + FRESH_MS });
    },
  };
}

function foundIn(name: PromptName, { bytes, etag, metadata }: Written): PromptText & { etag: string } {
  const sha256 = hashOf(bytes);
  // Put there by hand it says nothing, or what is no longer so.
  const version = metadata.sha256 === sha256 ? Number(metadata.version) : null;
  const used = { filename: name.file, revision_id: name.revision, version, sha256 };
  return { etag, text: new TextDecoder().decode(bytes), used };
}
