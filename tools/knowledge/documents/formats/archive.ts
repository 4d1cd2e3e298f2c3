/** A ZIP archive in memory. Nothing is unpacked before the total size is known to be within the limit. */
import { inflateRawSync } from 'node:zlib';
import { UnreadableDocument } from '../reader.ts';

export interface Archive {
  /** The unpacked file; undefined if it doesn't exist. */
  file(name: string): Uint8Array | undefined;
}

export interface ArchiveBounds {
  /** The maximum size of all files together, in bytes. */
  maxInflated: number;
  /** The expected kind of file, for messages, such as `Word document (.docx)`. */
  kind: string;
}

const MAX_ENTRIES = 5_000;

/** Throws UnreadableDocument if the file is not an archive, is encrypted, or its files exceed the limit together. */
export function openArchive(bytes: Uint8Array, { maxInflated, kind }: ArchiveBounds): Archive {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const entries = entriesOf(view);
    let remaining = maxInflated;
    for (const entry of entries) {
      if (entry.encrypted) throw new UnreadableDocument('It is encrypted: save it without a password');
      // Check the declared size first, because that is cheap. The real size is counted later.
      if (entry.declared > remaining) throw tooLarge(maxInflated);
      remaining -= inflated(view, entry, remaining).length;
    }
    const byName = new Map(entries.map((entry) => [entry.name, entry]));
    return {
      file(name) {
        const entry = byName.get(name);
        return entry && inflated(view, entry, maxInflated);
      },
    };
  } catch (error) {
    if (error instanceof UnreadableDocument) throw error;
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxInflated);
    throw new UnreadableDocument(`It is not a valid ${kind}`);
  }
}

interface Entry {
  name: string;
  encrypted: boolean;
  deflated: boolean;
  packed: number;
  declared: number;
  offset: number;
}

/** Fields of the central directory, https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT 4.3.12 and 4.3.16. */
function entriesOf(view: Buffer): Entry[] {
  const end = view.lastIndexOf(END_OF_DIRECTORY);
  if (end < 0 || end + 22 > view.length) throw damaged();
  const count = view.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new UnreadableDocument('It contains too many files');
  const entries: Entry[] = [];
  for (let at = view.readUInt32LE(end + 16); entries.length < count; ) {
    if (at + 46 > view.length || view.readUInt32LE(at) !== ENTRY) throw damaged();
    const nameLength = view.readUInt16LE(at + 28);
    entries.push({
      name: view.toString('utf8', at + 46, at + 46 + nameLength),
      encrypted: (view.readUInt16LE(at + 8) & 1) === 1,
      deflated: view.readUInt16LE(at + 10) !== 0,
      packed: view.readUInt32LE(at + 20),
      declared: view.readUInt32LE(at + 24),
      offset: view.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
  }
  return entries;
}

function inflated(view: Buffer, { offset, packed, deflated }: Entry, most: number): Uint8Array {
  if (offset + 30 > view.length) throw damaged();
  const start = offset + 30 + view.readUInt16LE(offset + 26) + view.readUInt16LE(offset + 28);
  if (start + packed > view.length) throw damaged();
  const content = view.subarray(start, start + packed);
  if (!deflated || packed === 0) return content;
  return inflateRawSync(content, { maxOutputLength: Math.max(1, most) });
}

const END_OF_DIRECTORY = Buffer.from([0x50, 0x4b, 5, 6]);
const ENTRY = 0x02014b50;

function tooLarge(maxInflated: number): UnreadableDocument {
  const megabytes = Math.round(maxInflated / 1024 / 1024);
  return new UnreadableDocument(`It is larger than ${megabytes} MiB when unpacked`);
}

function damaged(): RangeError {
  return new RangeError('the archive is damaged');
}
