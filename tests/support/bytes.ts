/** Looks for a text in the bytes of files, as somebody would who has the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files under `folder` that hold the text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}
