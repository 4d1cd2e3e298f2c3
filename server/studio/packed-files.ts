/** The studio's files on their way from the process that makes them: a line that lists them, then their bytes. */

/** `name` is empty for the page itself. Both encodings hold the same bytes. */
export interface BundledFile {
  name: string;
  type: string;
  gzip: Uint8Array;
  br: Uint8Array;
}

interface Listed {
  name: string;
  type: string;
  gzip: number;
  br: number;
}

const LINE_FEED = 10;

export function packed(files: BundledFile[]): Uint8Array {
  const list: Listed[] = files.map(({ name, type, gzip, br }) => ({
    name,
    type,
    gzip: gzip.length,
    br: br.length,
  }));
  const line = new TextEncoder().encode(`${JSON.stringify(list)}\n`);
  return Buffer.concat([line, ...files.flatMap(({ gzip, br }) => [gzip, br])]);
}

/** Throws for what `packed` did not make. */
export function unpacked(bytes: Uint8Array): BundledFile[] {
  const end = bytes.indexOf(LINE_FEED);
  const list: Listed[] = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  let at = end + 1;
  const next = (size: number) => {
    at += size;
    return bytes.subarray(at - size, at);
  };
  return list.map(({ name, type, gzip, br }) => ({ name, type, gzip: next(gzip), br: next(br) }));
}
