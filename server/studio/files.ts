/** The studio's files in memory: read or made when somebody first asks, so that a service without such people pays nothing. */
import { createHash } from 'node:crypto';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { builtFiles } from './built-files.ts';
import { type BundledFile, unpacked } from './packed-files.ts';
import { movedPage } from './page.ts';

export interface StudioFile extends BundledFile {
  etag: string;
}

export interface StudioFiles {
  /** The page itself under the empty name; undefined if there is none of that name. Throws where they cannot be made. */
  find(name: string): Promise<StudioFile | undefined>;
}

/** `basePath` is the path below which the service is; empty: none. */
export function createStudioFiles(basePath = ''): StudioFiles {
  let made: Promise<Map<string, StudioFile>> | undefined;
  return {
    async find(name) {
      made ??= make(basePath);
      try {
        return (await made).get(name);
      } catch (error) {
        // The next who asks may have more luck: memory may have been short.
        made = undefined;
        throw error;
      }
    },
  };
}

async function make(basePath: string): Promise<Map<string, StudioFile>> {
  const built = unpacked(await builtFiles());
  const files = built.map((file) => (file.name === '' && basePath !== '' ? moved(file, basePath) : file));
  return new Map(files.map((file) => [file.name, { ...file, etag: etagOf(file) }]));
}

function moved(file: BundledFile, basePath: string): BundledFile {
  const page = movedPage(gunzipSync(file.gzip).toString(), basePath);
  return { ...file, gzip: gzipSync(page), br: brotliCompressSync(page) };
}

function etagOf({ gzip }: BundledFile): string {
  return `"${createHash('sha256').update(gzip).digest('base64url').slice(0, 22)}"`;
}
