/** A library over a temporary folder, which is removed after the test. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import type { Embedder } from '../../../../tools/knowledge/embedding/embedder.ts';
import { hashedEmbedder } from '../../../../tools/knowledge/embedding/hashed.ts';
import type { SearchResult } from '../../../../tools/knowledge/library.ts';
import {
  type LocalLibrary,
  type LocalLibraryOptions,
  openLocalLibrary,
} from '../../../../tools/knowledge/local/open.ts';

export interface TestFolder {
  documents: string;
  index: string;
  embedder: Embedder;
  /** The log messages of its libraries. */
  logged: string[];
  open(options?: Partial<LocalLibraryOptions> & { embedder?: Embedder }): LocalLibrary;
  write(name: string, text: string | Uint8Array): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function testFolder(): TestFolder {
  const base = mkdtempSync(join(tmpdir(), 'skein-library-test-'));
  const documents = join(base, 'documents');
  const index = join(base, 'index');
  const embedder = hashedEmbedder();
  const logged: string[] = [];
  const opened: LocalLibrary[] = [];
  const say = (_fields: object, message: string) => void logged.push(message);
  mkdirSync(documents);
  return {
    documents,
    index,
    embedder,
    logged,
    open({ embedder: chosen = embedder, ...options } = {}) {
      const parts = { openEmbedder: async () => chosen, reader: openReader({ processes: 1 }) };
      const log = { info: say, warn: say };
      const library = openLocalLibrary({
        documentsPath: documents,
        indexPath: index,
        ...parts,
        log,
        ...options,
      });
      opened.push(library);
      return library;
    },
    async write(name, text) {
      mkdirSync(dirname(join(documents, name)), { recursive: true });
      await writeFile(join(documents, name), text);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((library) => library.close()));
      rmSync(base, { recursive: true });
    },
  };
}

export function documentsOf({ passages }: SearchResult): string[] {
  return [...new Set(passages.map(({ document }) => document))].sort();
}
