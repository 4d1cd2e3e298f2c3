/** A file of the local folder: the active version, and earlier ones. */
import type { Saved, Text } from '../layered-store.ts';
import type { PromptName } from '../names.ts';
import { hashOf } from '../store.ts';
import type { Folder } from './folder.ts';
import { savedVersion, saveVersion, storedVersions } from './versions.ts';

/** Not a valid name of a revision. */
const HISTORY = '.history';

/** Runs `work` in the folder of these names; undefined if one is missing. */
export async function within<T>(
  root: Folder,
  names: string[],
  work: (folder: Folder) => Promise<T>,
): Promise<T | undefined> {
  const [name, ...rest] = names;
  if (name === undefined) return work(root);
  const folder = await root.folder(name);
  if (!folder) return undefined;
  return within(folder, rest, work).finally(() => folder.close());
}

/** The same, but creates missing folders. */
export async function withinMade<T>(
  root: Folder,
  names: string[],
  work: (folder: Folder) => Promise<T>,
): Promise<T> {
  const [name, ...rest] = names;
  if (name === undefined) return work(root);
  const folder = await root.made(name);
  return withinMade(folder, rest, work).finally(() => folder.close());
}

/**
 * The active version. The file has the content, the history its version: a text that differs from the history's
 * newest was added without the store, or by a write that was interrupted, and is the next version.
 * So is the text if that entry is damaged: a version has one text.
 */
export async function currentVersion(root: Folder, name: PromptName): Promise<Saved | undefined> {
  const { found, newest } = await steadily(root, name);
  if (!found) return undefined;
  if (newest.saved && hashOf(newest.saved.bytes) === hashOf(found.bytes)) return newest.saved;
  const { bytes, modified } = found;
  const version = newest.version + 1;
  return { version, created_at: modified.toISOString(), author: null, size: bytes.byteLength, bytes };
}

const MAX_ATTEMPTS = 5;

/** The file and the newest entry of its history; read again if a write happened in between. */
async function steadily(root: Folder, name: PromptName) {
  for (let looks = 1; ; looks++) {
    const before = await newestNumber(root, name);
    const found = await within(root, [name.revision], (folder) => folder.read(name.file));
    const newest = await newestOf(root, name);
    if (newest.version === before || looks === MAX_ATTEMPTS) return { found, newest };
  }
}

/** 0 without a history. */
async function newestNumber(root: Folder, { revision, file }: PromptName): Promise<number> {
  const versions = await within(root, [HISTORY, revision, file], storedVersions);
  return versions?.[0] ?? 0;
}

/** `saved` is undefined if the entry is damaged. */
async function newestOf(root: Folder, { revision, file }: PromptName) {
  const newest = await within(root, [HISTORY, revision, file], async (folder) => {
    const [version = 0] = await storedVersions(folder);
    return { version, saved: version === 0 ? undefined : await savedVersion(folder, version) };
  });
  return newest ?? { version: 0, saved: undefined };
}

export async function earlierVersions(root: Folder, { revision, file }: PromptName): Promise<Saved[]> {
  const found = await within(root, [HISTORY, revision, file], async (folder) => {
    const numbers = await storedVersions(folder);
    return Promise.all(numbers.map((version) => savedVersion(folder, version)));
  });
  return (found ?? []).filter((saved) => saved !== undefined);
}

/** Archives the old version before the new one is activated, then archives the new one. */
export async function replaceVersion(
  root: Folder,
  { revision, file }: PromptName,
  before: Saved | undefined,
  text: Text,
): Promise<Saved> {
  return withinMade(root, [HISTORY, revision, file], async (history) => {
    const versions = await storedVersions(history);
    const version = Math.max(before?.version ?? 0, versions[0] ?? 0) + 1;
    const after = { ...text, version, size: text.bytes.byteLength };
    if (before && !versions.includes(before.version)) await saveVersion(history, before);
    await withinMade(root, [revision], (folder) => folder.write(file, after.bytes));
    await saveVersion(history, after);
    return after;
  });
}
