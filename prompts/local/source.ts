/** The prompt files that model calls use: those of the local folder as they are now, over the shipped ones. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
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
import type { PromptSource, RevisionSource } from '../prompts.ts';
import { openFolder, storageReason } from './folder.ts';
import { within } from './revision.ts';

interface Known {
  /** Changes whenever the file does; undefined while it may change once more without a trace. */
  stamp: string | undefined;
  text: string | undefined;
}

// File systems count time in steps of some milliseconds: two changes within one look the same.
const SETTLED_MS = 50;

/** A call that finds nothing changed costs one look at the file's inode, some microseconds. */
export function localSource(path: string, shipped: PromptSource): RevisionSource {
  const known = new Map<string, Known>();

  async function local(name: PromptName): Promise<string | undefined> {
    if (!isPromptName(name)) return undefined;
    const place = join(path, name.revision, name.file);
    const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    if (!found) return undefined;
    const stamp = `${found.ino} ${found.ctimeNs} ${found.size}`;
    const before = known.get(place);
    if (before?.stamp === stamp) return before.text;
    const text = await readText(path, name);
    const settled = Date.now() - Number(found.ctimeMs) > SETTLED_MS;
    known.set(place, { stamp: settled ? stamp : undefined, text });
    return text;
  }

  return {
    list: () => shipped.list(),
    async exists(revision) {
      if (revision === DEFAULT_REVISION || !isRevision(revision)) return revision === DEFAULT_REVISION;
      try {
        return await hasFiles(path, revision);
      } catch (cause) {
        const detail = `${revisionPlace(revision)}: ${storageReason(cause)}`;
        throw new SkeinError('PROMPT_STORAGE_FAILED', { detail, cause });
      }
    },
    async read(file, revision) {
      try {
        const own = revision === DEFAULT_REVISION ? undefined : await local({ revision, file });
        return (
          own ??
          (await local({ revision: DEFAULT_REVISION, file })) ??
          (await shipped.read(file, DEFAULT_REVISION))
        );
      } catch (cause) {
        throw promptError('PROMPT_STORAGE_FAILED', { revision, file }, storageReason(cause), cause);
      }
    },
  };
}

async function readText(path: string, { revision, file }: PromptName): Promise<string | undefined> {
  const root = await openFolder(path);
  if (!root) return undefined;
  const found = await within(root, [revision], (folder) => folder.read(file)).finally(() => root.close());
  return found && new TextDecoder().decode(found.bytes);
}

async function hasFiles(path: string, revision: string): Promise<boolean> {
  const root = await openFolder(path);
  if (!root) return false;
  const names = await within(root, [revision], (folder) => folder.files()).finally(() => root.close());
  return names?.some(isPromptFile) ?? false;
}
