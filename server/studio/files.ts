/** Keeps the studio's files in memory. They are loaded at the first request, so an unused studio takes no memory. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { builtFiles } from './built-files.ts';
import { type BundledFile, unpacked } from './packed-files.ts';
import { pageBelow } from './page.ts';

export interface StudioFile extends BundledFile {
  etag: string;
}

export interface StudioFiles {
  /** Returns the page for the empty name, and undefined for an unknown name. Throws if the bundling fails. */
  find(name: string): Promise<StudioFile | undefined>;
}

/** `basePath` is the path prefix of the service. May be empty. */
export function createStudioFiles(basePath = ''): StudioFiles {
  let files: Promise<Map<string, StudioFile>> | undefined;
  return {
    async find(name) {
      files ??= load(basePath);
      try {
        return (await files).get(name);
      } catch (error) {
        // Try again at the next request: the cause may be temporary, such as too little memory.
        files = undefined;
        throw error;
      }
    },
  };
}

async function load(basePath: string): Promise<Map<string, StudioFile>> {
  const built = unpacked(await builtFiles());
  const files = built.map((file) =>
    file.name === '' && basePath !== '' ? withBasePath(file, basePath) : file,
  );
  return new Map(files.map((file) => [file.name, { ...file, etag: etagOf(file) }]));
}

function withBasePath(file: BundledFile, basePath: string): BundledFile {
  const page = pageBelow(gunzipSync(file.gzip).toString(), basePath);
  return { ...file, gzip: gzipSync(page), br: brotliCompressSync(page) };
}

function etagOf({ gzip }: BundledFile): string {
  return `"${createHash('sha256').update(gzip).digest('base64url').slice(0, 22)}"`;
}
