/** Data that stands in a message itself, and what of it is a picture that a page may show. */

export interface DataUrl {
  type: string;
  base64: string;
  bytes: number;
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w."+-]*)*;base64,/i;

/** Undefined for any other address. */
export function dataUrlIn(address: string | undefined): DataUrl | undefined {
  const [head = '', type] = DATA_URL.exec(address?.slice(0, 300) ?? '') ?? [];
  return type === undefined || address === undefined
    ? undefined
    : dataUrlOf(address.slice(head.length), type);
}

export function dataUrlOf(base64: string, type = 'application/octet-stream'): DataUrl {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return {
    type: type.toLowerCase(),
    base64,
    bytes: Math.max(0, Math.floor((base64.length * 3) / 4) - padding),
  };
}

/** Pictures of pixels, which can neither ask for anything nor run, by how their bytes begin. */
const PICTURES: Record<string, (bytes: string) => boolean> = {
  'image/png': (bytes) => bytes.startsWith('\x89PNG\r\n\x1a\n'),
  'image/jpeg': (bytes) => bytes.startsWith('\xff\xd8\xff'),
  'image/gif': (bytes) => /^GIF8[79]a/.test(bytes),
  'image/webp': (bytes) => bytes.startsWith('RIFF') && bytes.slice(8, 12) === 'WEBP',
};

const MOST_BYTES = 8_000_000;

export type Picture = { address: string; refusal?: undefined } | { refusal: string; address?: undefined };

/** The address of the picture, or why it is not shown. */
export function pictureIn({ type, base64, bytes }: DataUrl): Picture {
  const known = type === 'image/jpg' ? 'image/jpeg' : type;
  const isKind = Object.hasOwn(PICTURES, known) ? PICTURES[known] : undefined;
  if (!isKind) return { refusal: 'Pictures of this type are not shown.' };
  if (bytes > MOST_BYTES) return { refusal: 'The picture is too large to be shown.' };
  if (!/^[\w+/-]*={0,2}$/.test(base64) || !isKind(beginningOf(base64)))
    return { refusal: 'The data is not a picture of this type.' };
  return { address: `data:${known};base64,${base64}` };
}

function beginningOf(base64: string): string {
  try {
    return atob(base64.slice(0, 24));
  } catch {
    return '';
  }
}
