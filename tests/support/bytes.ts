/** Searches for a text in the bytes of files, as an attacker with access to the disk would. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files below `folder` that contain the text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}
