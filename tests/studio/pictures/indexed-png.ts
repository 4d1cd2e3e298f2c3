/** Makes a screenshot small: a PNG with the 256 most frequent colours. Text has more, but the difference is invisible. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = '\x89PNG\r\n\x1a\n';
const MAX_COLOURS = 256;
/** Bytes per pixel of Chromium's screenshots, which have no transparency. */
const RGB = 3;

interface Pixels {
  width: number;
  height: number;
  /** Three bytes for each pixel. */
  data: Buffer;
}

export function indexedPng(png: Buffer): Buffer {
  const { width, height, data } = pixelsOf(png);
  const colourAt = (index: number) => data.readUIntBE(index * RGB, RGB);
  const counts = new Map<number, number>();
  for (let index = 0; index < width * height; index++)
    counts.set(colourAt(index), (counts.get(colourAt(index)) ?? 0) + 1);
  const palette = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_COLOURS)
    .map(([colour]) => colour);
  const indexOf = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  // Each row starts with its filter; 0 is none, which is the best for few colours.
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexOf.get(colourAt(y * width + x)) ?? 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits, and a palette.
  header.set([8, 3], 8);
  const colours = Buffer.alloc(palette.length * RGB);
  for (const [index, colour] of palette.entries()) colours.writeUIntBE(colour, index * RGB, RGB);
  return Buffer.concat([
    Buffer.from(SIGNATURE, 'latin1'),
    ...[chunk('IHDR', header), chunk('PLTE', colours)],
    ...[chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))],
  ]);
}

function nearest(palette: number[], colour: number): number {
  const distances = palette.map((one) => distance(one, colour));
  return distances.indexOf(Math.min(...distances));
}

function distance(a: number, b: number): number {
  const by = (shift: number) => (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2;
  return by(16) + by(8) + by(0);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}

/** Undoes the compression and the filters: https://www.w3.org/TR/png-3/#9Filters */
function pixelsOf(png: Buffer): Pixels {
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [bits, type] = png.subarray(24, 26);
  if (bits !== 8 || type !== 2) throw new Error(`expected a PNG of 8-bit RGB, not of type ${type}`);
  const filtered = inflateSync(Buffer.concat(parts));
  const stride = width * RGB;
  const data = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const left = x < RGB ? 0 : (data[y * stride + x - RGB] ?? 0);
      const up = y === 0 ? 0 : (data[(y - 1) * stride + x] ?? 0);
      const corner = x < RGB || y === 0 ? 0 : (data[(y - 1) * stride + x - RGB] ?? 0);
      const value = filtered[y * (stride + 1) + 1 + x] ?? 0;
      data[y * stride + x] = value + predicted(filter, left, up, corner);
    }
  }
  return { width, height, data };
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  return filter === 4 ? paeth(left, up, corner) : 0;
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(estimate - one)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
