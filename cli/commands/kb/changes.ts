/** `skein kb add`, `remove` and `reindex`: what changes the documents or their index. */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { SkeinError } from '../../../state/errors.ts';
import { MAX_DOCUMENT_BYTES } from '../../../tools/knowledge/local/document-folder.ts';
import { checkUpload } from '../../../tools/knowledge/local/uploads.ts';
import { failed, printable, reasonOf } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import type { Asked, Base } from './open.ts';
import { documentJson, documentLine, statusOf } from './show.ts';

/** Each file is copied into the folder under its own name. One that is refused does not stop the others. */
export async function addDocuments(base: Base, { words, own }: Asked): Promise<number> {
  let code = 0;
  for (const file of words) {
    try {
      const name = basename(file);
      const document = await added(base, name, await contentOf(file, name));
      print(own.has('--json') ? JSON.stringify(documentJson(document)) : documentLine(document));
      if (document.state === 'failed') code = 1;
    } catch (error) {
      const reason = error instanceof SkeinError ? (error.detail ?? error.message) : reasonOf(error);
      code = failed(`${file}: ${reason}`);
    }
  }
  return code;
}

async function contentOf(file: string, name: string): Promise<Uint8Array> {
  const { size } = await stat(file);
  if (size > MAX_DOCUMENT_BYTES)
    throw new SkeinError('PAYLOAD_TOO_LARGE', { detail: `${name}: larger than 20 MiB` });
  return new Uint8Array(await readFile(file));
}

async function added({ own, folder }: Base, name: string, bytes: Uint8Array) {
  if (own) return (await own.add(name, bytes)).document;
  checkUpload(name, bytes);
  await folder.write(name, bytes);
  const { byteLength } = bytes;
  return { name, state: 'indexing' as const, chunks: 0, bytes: byteLength, updatedAt: new Date() };
}

export async function removeDocuments({ own, folder }: Base, { words }: Asked): Promise<number> {
  let code = 0;
  for (const name of words) {
    const removed = await (own ?? folder).remove(name);
    if (removed) print(printable(`${name} is removed`));
    else code = failed(`${name}: there is no such document`);
  }
  return code;
}

export async function reindex(base: Base, asked: Asked): Promise<number> {
  if (base.begin) {
    await base.begin();
    print(`The index in ${base.indexPath} is removed: a running service builds it again.`);
    return 0;
  }
  if (!base.own)
    return failed(
      `A running service has this index open. Stop it first; or delete ${base.indexPath}, which it then builds again.`,
    );
  await base.own.rebuild();
  return statusOf(base, asked);
}
