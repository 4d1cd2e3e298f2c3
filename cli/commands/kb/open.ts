/** The knowledge base for a command: its own while no service has it open, else what can be done beside that service. */

import type { LoadedSettings } from '../../../settings/load.ts';
import { openReader } from '../../../tools/knowledge/documents/open-reader.ts';
import { type DocumentFolder, documentFolder } from '../../../tools/knowledge/local/document-folder.ts';
import { takeLock } from '../../../tools/knowledge/local/lock.ts';
import { type LocalLibrary, openLocalLibrary } from '../../../tools/knowledge/local/open.ts';
import { libraryPlaces } from '../../../tools/knowledge/local/places.ts';
import { type IndexReader, openIndexReader } from '../../../tools/knowledge/local/read-only.ts';
import { openEmbedder, wantedSamples } from '../../service/knowledge-base.ts';
import { printable } from '../../terminal/plain-errors.ts';
import { progressBar } from '../../terminal/progress-bar.ts';

/** What is left of the command line. */
export interface Asked {
  words: readonly string[];
  own: ReadonlyMap<string, string>;
}

export interface Base {
  documentsPath: string;
  indexPath: string;
  folder: DocumentFolder;
  /** Undefined while a service has the index. */
  own: LocalLibrary | undefined;
  /** What that service has indexed so far. */
  read(): Promise<IndexReader | undefined>;
  close(): Promise<void>;
}

export async function openBase(loaded: LoadedSettings): Promise<Base> {
  const { documents_path: documentsPath, index_path: indexPath } = loaded.settings.knowledge_base;
  const places = libraryPlaces({ documents: documentsPath, index: indexPath });
  const bar = progressBar(process.stderr);
  const own = isFree(places.index)
    ? openLocalLibrary({
        documentsPath,
        indexPath,
        openEmbedder: () => openEmbedder(loaded),
        reader: openReader(),
        log: { info: say, warn: say },
        prepare: async () => wantedSamples(loaded)?.(places.documents),
        onProgress: bar.show,
      })
    : undefined;
  let reader: Promise<IndexReader | undefined> | undefined;

  /** Above the bar, which is drawn again. */
  function say({ document, file }: { document?: unknown; file?: unknown }, message: string): void {
    const about = document ?? file;
    bar.clear();
    console.error(printable(about === undefined ? message : `${about}: ${message}`));
  }

  return {
    documentsPath,
    indexPath,
    folder: documentFolder(places.documents),
    own,
    read() {
      reader ??= openEmbedder(loaded).then((embedder) => openIndexReader(places.index, embedder));
      return reader;
    },
    async close() {
      bar.clear();
      await own?.close();
      (await reader)?.close();
    },
  };
}

function isFree(index: string): boolean {
  const lock = takeLock(index);
  lock?.release();
  return lock !== undefined;
}
