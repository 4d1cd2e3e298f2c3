/** `skein kb add`: copies files into the folder, and waits until they are indexed, here or by a running service. */
import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { SkeinError } from '../../../state/errors.ts';
import { openReader } from '../../../tools/knowledge/documents/process/open-reader.ts';
import { UnreadableDocument } from '../../../tools/knowledge/documents/reader.ts';
import type { Document } from '../../../tools/knowledge/library.ts';
import { MAX_DOCUMENT_BYTES } from '../../../tools/knowledge/local/folder/document-folder.ts';
import { checkUpload, composedName } from '../../../tools/knowledge/local/folder/uploads.ts';
import { failed, reasonOf } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import type { Base, KnowledgeArguments } from './open.ts';
import { documentJson, documentLine } from './show.ts';
import { outcomes } from './wait.ts';

/** Each file keeps its name. A rejected one does not stop the others. Returns 1 if one is not indexed in the end. */
export async function addDocuments(base: Base, { words, own }: KnowledgeArguments): Promise<number> {
  const add = base.own ? ownAdd(base.own) : besideService(base);
  // With an index in a store, this cannot tell whether a service runs, so it waits only with --wait.
  const waits = base.begin ? own.has('--wait') : !own.has('--no-wait');
  let code = 0;
  const saved: string[] = [];
  const tell = (document: Document) => {
    print(own.has('--json') ? JSON.stringify(documentJson(document)) : documentLine(document));
    if (document.state === 'failed') code = 1;
  };
  for (const file of words) {
    try {
      const document = await add(nameOf(file), await contentOf(file));
      if (document.state === 'indexing' && waits) saved.push(document.name);
      else tell(document);
    } catch (error) {
      const reason = error instanceof SkeinError ? (error.detail ?? error.message) : reasonOf(error);
      code = failed(`${file}: ${reason}`);
    }
  }
  for await (const document of outcomes(base, saved)) tell(document);
  return code;
}

type Add = (name: string, bytes: Uint8Array) => Promise<Document>;

function ownAdd(own: NonNullable<Base['own']>): Add {
  return async (name, bytes) => (await own.add(name, bytes)).document;
}

/** Reports a damaged file immediately, even if the service is busy. */
function besideService({ folder }: Base): Add {
  return async (name, bytes) => {
    checkUpload(name, bytes);
    await folder.write(name, bytes);
    const document = { name, chunks: 0, bytes: bytes.byteLength, updatedAt: new Date() };
    const error = await damageOf(name, bytes);
    return error === undefined ? { ...document, state: 'indexing' } : { ...document, state: 'failed', error };
  };
}

async function damageOf(name: string, bytes: Uint8Array): Promise<string | undefined> {
  const reader = openReader({ processes: 1 });
  try {
    await reader.readInto(async () => {}, name, bytes);
    return undefined;
  } catch (error) {
    // The service detects other problems itself.
    if (error instanceof UnreadableDocument && !error.mayPass) return error.message;
    return undefined;
  } finally {
    await reader.close();
  }
}

/** With its extension in lower case; cameras and scanners write capitals. */
function nameOf(file: string): string {
  const name = composedName(basename(file));
  const ending = extname(name);
  return `${name.slice(0, name.length - ending.length)}${ending.toLowerCase()}`;
}

async function contentOf(file: string): Promise<Uint8Array> {
  const { size } = await stat(file);
  if (size > MAX_DOCUMENT_BYTES) throw new SkeinError('PAYLOAD_TOO_LARGE', { detail: 'larger than 20 MiB' });
  return new Uint8Array(await readFile(file));
}
