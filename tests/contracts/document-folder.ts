/** The contract of document stores: a folder, a bucket, a container. */
import { beforeEach, expect, test } from 'bun:test';
import type { SkeinError } from '../../state/errors.ts';
import {
  type DocumentFolder,
  MAX_DOCUMENT_BYTES,
} from '../../tools/knowledge/local/folder/document-folder.ts';

export interface OpenedFolder {
  folder: DocumentFolder;
  /** Writes a file without the document store. */
  put(name: string, text: string): Promise<void>;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (content: { bytes: Uint8Array } | undefined) =>
  content && new TextDecoder().decode(content.bytes);

/** `open` returns a new empty document store. */
export function documentFolderContract(open: () => Promise<OpenedFolder>): void {
  let folder: DocumentFolder;
  let put: OpenedFolder['put'];
  beforeEach(async () => {
    ({ folder, put } = await open());
  });
  const names = async () => [...(await folder.walk()).documents.keys()].sort();

  test('writes, reads, replaces and removes a document', async () => {
    expect(await folder.write('a.md', bytes('one'))).toBe(true);
    expect(textOf(await folder.read('a.md'))).toBe('one');
    expect(await folder.write('a.md', bytes('two'))).toBe(false);
    expect(textOf(await folder.read('a.md'))).toBe('two');
    expect(await names()).toEqual(['a.md']);
    expect(await folder.remove('a.md')).toBe(true);
    expect(await folder.remove('a.md')).toBe(false);
    expect(await folder.read('a.md')).toBeUndefined();
    expect(await folder.look('a.md')).toBeUndefined();
    expect(await names()).toEqual([]);
  });

  test('a stamp changes with the content and is the same in a listing, a lookup and a read', async () => {
    await folder.write('a.md', bytes('one'));
    const first = await folder.look('a.md');
    expect(first).toMatchObject({ name: 'a.md', bytes: 3 });
    expect(Math.abs(Date.now() - Number(first?.modified))).toBeLessThan(60_000);
    expect((await folder.walk()).documents.get('a.md')?.stamp).toBe(first?.stamp ?? '');
    expect((await folder.read('a.md'))?.stamp).toBe(first?.stamp ?? '');
    await folder.write('a.md', bytes('other'));
    expect((await folder.look('a.md'))?.stamp).not.toBe(first?.stamp);
  });

  test('names keep spaces, letters and symbols, and include folders', async () => {
    const odd = ['a b.md', 'ünïcode ☃.txt', '100% + more?.md', 'a&b=c#d.md', "quo'te.md", 'sub/fold er/x.md'];
    for (const name of odd) await put(name, `this is ${name}`);
    expect(await names()).toEqual(odd.toSorted());
    for (const name of odd) expect(textOf(await folder.read(name))).toBe(`this is ${name}`);
    for (const name of odd) expect(await folder.remove(name)).toBe(true);
    expect(await names()).toEqual([]);
  });

  test.each(['../a.md', 'sub/../a.md', '.hidden.md', 'sub/.hidden.md', '/a.md', 'a//b.md', 'a.exe', ''])(
    '%p is no document: nothing is read, written or removed',
    async (name) => {
      expect(await folder.look(name)).toBeUndefined();
      expect(await folder.read(name)).toBeUndefined();
      expect(await folder.remove(name)).toBe(false);
      expect(folder.write(name, bytes('x'))).rejects.toThrow();
      expect(await names()).toEqual([]);
    },
  );

  test('skips files that are not documents with a reason, and hidden files silently', async () => {
    await put('notes.md', 'notes');
    await put('picture.png', 'picture');
    await put('.hidden.md', 'hidden');
    const { documents, skipped } = await folder.walk();
    expect([...documents.keys()]).toEqual(['notes.md']);
    expect([...skipped]).toEqual([['picture.png', 'documents of this kind cannot be read']]);
  });

  test('rejects files over 20 MiB without leaving a partial file', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(97);
    async function* pieces(count: number) {
      for (let at = 0; at < count; at++) yield piece;
    }
    const refused = await folder.write('large.txt', pieces(21)).catch((error: SkeinError) => error.code);
    expect(refused).toBe('PAYLOAD_TOO_LARGE');
    expect(await names()).toEqual([]);
    expect(await folder.write('just.txt', pieces(20))).toBe(true);
    expect((await folder.look('just.txt'))?.bytes).toBe(MAX_DOCUMENT_BYTES);
    expect((await folder.read('just.txt'))?.bytes.byteLength).toBe(MAX_DOCUMENT_BYTES);
  });
}
