/** The versions of one file, each a file of its own in the history folder: `<version>.json`. */
import type { Saved } from '../layered-store.ts';
import { KEPT_VERSIONS, MAX_PROMPT_BYTES } from '../store.ts';
import type { Folder } from './folder.ts';

const NAME = /^([1-9][0-9]{0,8})\.json$/;

// Base64 and the fields around it.
const MAX_ENTRY_BYTES = 2 * MAX_PROMPT_BYTES;

/** Numbers of the versions that are kept, the newest first. */
export async function keptVersions(folder: Folder): Promise<number[]> {
  const names = await folder.files();
  return names
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => b - a);
}

export async function savedVersion(folder: Folder, version: number): Promise<Saved | undefined> {
  const entry = await folder.read(`${version}.json`, MAX_ENTRY_BYTES);
  if (!entry) return undefined;
  const { created_at, author, content } = entryIn(entry.bytes);
  const bytes = new Uint8Array(Buffer.from(content, 'base64'));
  return { version, created_at, author, size: bytes.byteLength, bytes };
}

function entryIn(bytes: Uint8Array): { created_at: string; author: string | null; content: string } {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new Error('a version in its history cannot be read', { cause });
  }
}

/** Adds a version, and removes those beyond the number that is kept. */
export async function saveVersion(folder: Folder, { version, created_at, author, bytes }: Saved) {
  const content = Buffer.from(bytes).toString('base64');
  await folder.write(`${version}.json`, Buffer.from(JSON.stringify({ created_at, author, content })));
  const beyond = (await keptVersions(folder)).slice(KEPT_VERSIONS);
  for (const old of beyond) await folder.remove(`${old}.json`);
}
