/** Says whether an archive is as small unpacked as it says, before anything unpacks it whole. */
import { inflateRawSync } from 'node:zlib';
import { UnreadableDocument } from './reader.ts';

const MAX_ENTRIES = 5_000;

/** Throws UnreadableDocument where it is no archive, or its entries are more than `maxInflated` bytes together. */
export function checkArchive(bytes: Uint8Array, maxInflated: number): void {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let left = maxInflated;
  for (const entry of entriesOf(view)) {
    if (entry.encrypted) throw new UnreadableDocument('It is encrypted: save it without a password');
    // What it says is believed first, since that costs nothing; then it is counted.
    if (entry.declared > left) throw tooLarge(maxInflated);
    left -= inflatedSize(view, entry, left, maxInflated);
  }
}

interface Entry {
  encrypted: boolean;
  deflated: boolean;
  packed: number;
  declared: number;
  offset: number;
}

/** Of the central directory, https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT 4.3.12 and 4.3.16. */
function entriesOf(view: Buffer): Entry[] {
  const end = view.lastIndexOf(END_OF_DIRECTORY);
  if (end < 0 || end + 22 > view.length) throw damaged();
  const count = view.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new UnreadableDocument('It is an archive of too many files');
  const entries: Entry[] = [];
  for (let at = view.readUInt32LE(end + 16); entries.length < count; ) {
    if (at + 46 > view.length || view.readUInt32LE(at) !== ENTRY) throw damaged();
    entries.push({
      encrypted: (view.readUInt16LE(at + 8) & 1) === 1,
      deflated: view.readUInt16LE(at + 10) !== 0,
      packed: view.readUInt32LE(at + 20),
      declared: view.readUInt32LE(at + 24),
      offset: view.readUInt32LE(at + 42),
    });
    at += 46 + view.readUInt16LE(at + 28) + view.readUInt16LE(at + 30) + view.readUInt16LE(at + 32);
  }
  return entries;
}

function inflatedSize(view: Buffer, entry: Entry, left: number, maxInflated: number): number {
  const { offset, packed, deflated } = entry;
  if (offset + 30 > view.length) throw damaged();
  const start = offset + 30 + view.readUInt16LE(offset + 26) + view.readUInt16LE(offset + 28);
  if (start + packed > view.length) throw damaged();
  if (!deflated || packed === 0) return packed;
  try {
    return inflateRawSync(view.subarray(start, start + packed), { maxOutputLength: Math.max(1, left) })
      .length;
  } catch (error) {
    throw (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(maxInflated) : damaged();
  }
}

const END_OF_DIRECTORY = Buffer.from([0x50, 0x4b, 5, 6]);
const ENTRY = 0x02014b50;

function tooLarge(maxInflated: number): UnreadableDocument {
  const megabytes = Math.round(maxInflated / 1024 / 1024);
  return new UnreadableDocument(`It is more than ${megabytes} MiB when it is unpacked`);
}

function damaged(): UnreadableDocument {
  return new UnreadableDocument('It is no Word document (.docx), or damaged');
}
