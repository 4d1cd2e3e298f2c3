/** Documents in an object store: every object below the address with the name of a document. */
import { SkeinError } from '../../../state/errors.ts';
import type { Content } from '../library.ts';
import {
  type DocumentFolder,
  type Found,
  isDocumentName,
  MAX_DOCUMENT_BYTES,
  tooLarge,
} from '../local/folder/document-folder.ts';
import type { StoredObject } from '../storage/object-store.ts';
import type { StoreLocation } from '../storage/open-store.ts';

// Not more often, because stores charge for each listing.
const LIST_EVERY_MS = 3_000;

/** The stamp of a document is the tag of its object. */
export function bucketFolder(location: StoreLocation): DocumentFolder {
  return {
    walkEveryMs: LIST_EVERY_MS,
    // A listing only waits for the store, and takes no processor time.
    restAfterWalk: 1,
    exactStamps: true,
    async walk() {
      const documents = new Map<string, Found>();
      const skipped = new Map<string, string>();
      for (const object of await (await location.store()).list()) {
        const { key } = object;
        if (isDocumentName(key)) documents.set(key, foundOf(object));
        // Skip names that end with `/`: web consoles create such empty objects for folders.
        else if (!key.endsWith('/') && !isHidden(key)) skipped.set(key, skippedAs(key));
      }
      return { isThere: true, documents, skipped };
    },
    async look(name) {
      if (!isDocumentName(name)) return undefined;
      const object = await (await location.store()).head(name);
      return object && foundOf(object);
    },
    async read(name) {
      if (!isDocumentName(name)) return undefined;
      const limit = MAX_DOCUMENT_BYTES;
      const found = await (await location.store()).get(name, { limit }).catch((error) => {
        throw error instanceof SkeinError && error.code === 'PAYLOAD_TOO_LARGE' ? tooLarge(name) : error;
      });
      if (found === undefined || found === 'unchanged') return undefined;
      return { bytes: found.bytes, modified: found.modified, stamp: found.tag };
    },
    async write(name, content) {
      if (!isDocumentName(name))
        throw new SkeinError('INVALID_REQUEST', { detail: 'name: not a valid document name' });
      const bytes = await wholeOf(name, content);
      const store = await location.store();
      const isNew = (await store.head(name)) === undefined;
      await store.put(name, bytes);
      return isNew;
    },
    async remove(name) {
      if (!isDocumentName(name)) return false;
      const store = await location.store();
      if ((await store.head(name)) === undefined) return false;
      await store.remove(name);
      return true;
    },
    // Not needed, because objects appear atomically.
    sweep: async () => {},
  };
}

async function wholeOf(name: string, content: Content): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of content instanceof Uint8Array ? [content] : content) {
    bytes += piece.byteLength;
    if (bytes > MAX_DOCUMENT_BYTES) throw tooLarge(name);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

function foundOf({ key: name, tag: stamp, size: bytes, modified }: StoredObject): Found {
  const found = { name, bytes, modified, stamp };
  return bytes > MAX_DOCUMENT_BYTES ? { ...found, refused: 'It is larger than 20 MiB' } : found;
}

const isHidden = (key: string) => key.split('/').some((part) => part.startsWith('.'));

function skippedAs(key: string): string {
  if (key.split('/').includes('')) return 'a part of its name is empty';
  return 'documents of this kind cannot be read';
}
