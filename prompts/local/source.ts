/** The prompt files for model calls: the current ones of the local folder, over the shipped ones. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { lookUp } from '../lookup.ts';
import { isPromptName, type PromptName, promptError } from '../names.ts';
import type { PromptSource, PromptText } from '../prompts.ts';
import { hashOf } from '../store.ts';
import { openFolder, storageReason } from './folder.ts';
import { currentVersion, within } from './revision.ts';

interface Known {
  /** Changes with the file; undefined while the file may still change unnoticed. */
  stamp: string | undefined;
  found: PromptText | undefined;
}

// File systems have a time resolution of some milliseconds: two changes within it look the same.
const SETTLED_MS = 50;

/** A call without changes costs one stat of the file, some microseconds. */
export function localSource(path: string, shipped: PromptSource): PromptSource {
  const known = new Map<string, Known>();

  async function local(name: PromptName): Promise<PromptText | undefined> {
    if (!isPromptName(name)) return undefined;
    const file = join(path, name.revision, name.file);
    const inode = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (!inode) return undefined;
    const stamp = `${inode.ino} ${inode.ctimeNs} ${inode.size}`;
    const before = known.get(file);
    if (before?.stamp === stamp) return before.found;
    const found = await readText(path, name);
    const settled = Date.now() - Number(inode.ctimeMs) > SETTLED_MS;
    known.set(file, { stamp: settled ? stamp : undefined, found });
    return found;
  }

  return {
    list: () => shipped.list(),
    async read(wanted, revision) {
      try {
        return await lookUp(wanted, revision, { own: local, shipped });
      } catch (cause) {
        const name = { revision, file: wanted.file };
        throw promptError('PROMPT_STORAGE_FAILED', name, storageReason(cause), cause);
      }
    },
  };
}

async function readText(path: string, name: PromptName): Promise<PromptText | undefined> {
  const root = await openFolder(path);
  if (!root) return undefined;
  const plain = async () => {
    const file = await within(root, [name.revision], (folder) => folder.read(name.file));
    return file && { bytes: file.bytes, version: null };
  };
  // An unreadable history fails no run: only the file itself matters.
  const found = await currentVersion(root, name)
    .catch(plain)
    .finally(() => root.close());
  if (!found) return undefined;
  const { version, bytes } = found;
  const used = { filename: name.file, revision_id: name.revision, version, sha256: hashOf(bytes) };
  return { text: new TextDecoder().decode(bytes), used };
}
