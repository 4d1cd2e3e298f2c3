/** Packs the studio's files into one byte array: a line of JSON that lists them, followed by their bytes. */

/** `name` is empty for the page itself. `gzip` and `br` are the same content in two encodings. */
export interface BundledFile {
  name: string;
  type: string;
  gzip: Uint8Array;
  br: Uint8Array;
}

/** `gzip` and `br` are sizes in bytes. */
interface PackedEntry {
  name: string;
  type: string;
  gzip: number;
  br: number;
}

const LINE_FEED = 10;

export function packed(files: BundledFile[]): Uint8Array {
  const list: PackedEntry[] = files.map(({ name, type, gzip, br }) => ({
    name,
    type,
    gzip: gzip.length,
    br: br.length,
  }));
  const line = new TextEncoder().encode(`${JSON.stringify(list)}\n`);
  return Buffer.concat([line, ...files.flatMap(({ gzip, br }) => [gzip, br])]);
}

/** Throws for bytes that are not from `packed`. */
export function unpacked(bytes: Uint8Array): BundledFile[] {
  const end = bytes.indexOf(LINE_FEED);
  const list: PackedEntry[] = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  let at = end + 1;
  const next = (size: number) => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  return list.map(({ name, type, gzip, br }) => ({ name, type, gzip: next(gzip), br: next(br) }));
}
