/** The versions of a file, each a file in the history folder: `<version>.json`. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Saved } from '../layered-store.ts';
import { KEPT_VERSIONS, MAX_PROMPT_BYTES } from '../store.ts';
import type { FileContent, Folder } from './folder.ts';

const NAME = /^([1-9][0-9]{0,8})\.json$/;

const Nullable = Type.Union([Type.String(), Type.Null()]);
const Entry = Type.Object({ created_at: Nullable, author: Nullable, content: Type.String() });

// Base64 and the surrounding fields.
const MAX_ENTRY_BYTES = 2 * MAX_PROMPT_BYTES;

/** Numbers of the stored versions, newest first, including damaged entries. */
export async function storedVersions(folder: Folder): Promise<number[]> {
  const names = await folder.files();
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

/** Undefined if it is missing or damaged. */
export async function savedVersion(folder: Folder, version: number): Promise<Saved | undefined> {
  const entry = entryIn(await folder.read(`${version}.json`, MAX_ENTRY_BYTES).catch(damaged));
  if (!entry) return undefined;
  const { created_at, author, content } = entry;
  const bytes = new Uint8Array(Buffer.from(content, 'base64'));
  return { version, created_at, author, size: bytes.byteLength, bytes };
}

/** A storage error is not damage: a later read may succeed. */
function damaged(error: NodeJS.ErrnoException): undefined {
  if (error.code !== undefined) throw error;
}

function entryIn(file: Pick<FileContent, 'bytes'> | undefined) {
  if (!file) return undefined;
  try {
    const entry: unknown = JSON.parse(new TextDecoder().decode(file.bytes));
    return Value.Check(Entry, entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Adds a version, and removes the oldest beyond the limit. */
export async function saveVersion(folder: Folder, { version, created_at, author, bytes }: Saved) {
  const content = Buffer.from(bytes).toString('base64');
  await folder.write(`${version}.json`, Buffer.from(JSON.stringify({ created_at, author, content })));
  const beyond = (await storedVersions(folder)).slice(KEPT_VERSIONS);
  for (const old of beyond) await folder.remove(`${old}.json`);
}
