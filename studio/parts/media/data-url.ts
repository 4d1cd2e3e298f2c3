/** Data URLs in messages, and which of them the studio shows as images. */

export interface DataUrl {
  type: string;
  base64: string;
  bytes: number;
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w."+-]*)*;base64,/i;

/** Undefined if the address isn't a base64 data URL. */
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

/** Raster image formats, which can't load anything or run scripts, with the check of their first bytes. */
const IMAGES: Record<string, (bytes: string) => boolean> = {
  'image/png': (bytes) => bytes.startsWith('\x89PNG\r\n\x1a\n'),
  'image/jpeg': (bytes) => bytes.startsWith('\xff\xd8\xff'),
  'image/gif': (bytes) => /^GIF8[79]a/.test(bytes),
  'image/webp': (bytes) => bytes.startsWith('RIFF') && bytes.slice(8, 12) === 'WEBP',
};

const MAX_BYTES = 8_000_000;

export type ImageResult = { address: string; problem?: undefined } | { problem: string; address?: undefined };

/** The address of the image, or why it can't be shown. */
export function imageIn({ type, base64, bytes }: DataUrl): ImageResult {
  const known = type === 'image/jpg' ? 'image/jpeg' : type;
  const isKind = Object.hasOwn(IMAGES, known) ? IMAGES[known] : undefined;
  if (!isKind) return { problem: "Images of this type can't be shown." };
  if (bytes > MAX_BYTES) return { problem: 'The image is too large to show.' };
  if (!/^[\w+/-]*={0,2}$/.test(base64) || !isKind(beginningOf(base64)))
    return { problem: "The data isn't an image of this type." };
  return { address: `data:${known};base64,${base64}` };
}

function beginningOf(base64: string): string {
  try {
    return atob(base64.slice(0, 24));
  } catch {
    return '';
  }
}
