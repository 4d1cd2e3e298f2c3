/** Screenshots as PNG files with a palette. */
import { expect, test } from 'bun:test';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { indexedPng } from './indexed-png.ts';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** An RGB image, as browsers make them. Each row starts with the number of its filter. */
function rgbPng(width: number, rows: number[][]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 2], 8);
  const data = deflateSync(Buffer.from(rows.flat()));
  return Buffer.concat([SIGNATURE, ...[chunk('IHDR', header), chunk('IDAT', data), chunk('IEND')]]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const frame = Buffer.alloc(data.length + 12);
  frame.writeUInt32BE(data.length, 0);
  frame.write(type, 4, 'latin1');
  data.copy(frame, 8);
  frame.writeUInt32BE(crc32(frame.subarray(4, data.length + 8)), data.length + 8);
  return frame;
}

/** The colours of the pixels, row by row, as hexadecimal text. */
function coloursOf(png: Buffer, width: number): string[] {
  const parts = new Map<string, Buffer>();
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    expect(chunk(png.toString('latin1', at + 4, at + 8), data)).toEqual(
      png.subarray(at, at + data.length + 12),
    );
    parts.set(png.toString('latin1', at + 4, at + 8), data);
  }
  const [palette, rows] = [parts.get('PLTE'), inflateSync(parts.get('IDAT') ?? Buffer.alloc(0))];
  return [...rows]
    .filter((_, index) => index % (width + 1) > 0)
    .map((index) => palette?.toString('hex', 3 * index, 3 * index + 3) ?? '');
}

test('the pixels stay the same, whatever filters their rows have', () => {
  const png = rgbPng(2, [
    ...[
      [0, 1, 2, 3, 9, 9, 9],
      [1, 1, 2, 3, 8, 7, 6],
      [2, 0, 0, 0, 0, 0, 0],
      [3, 1, 1, 1, 5, 5, 4],
      [4, 0, 0, 0, 0, 0, 0],
    ],
  ]);
  expect(coloursOf(indexedPng(png), 2)).toEqual([
    ...['010203', '090909', '010203', '090909', '010203', '090909', '010202', '0a0a09', '010202', '0a0a09'],
  ]);
});

test('beyond 256 colours, the rarest become the nearest of the others', () => {
  const colours = Array.from({ length: 256 }, (_, grey) => [grey, grey, grey]);
  const row = [...colours, ...colours, [7, 7, 8]].flat();
  const seen = coloursOf(indexedPng(rgbPng(513, [[0, ...row]])), 513);
  expect(new Set(seen).size).toBe(256);
  expect(seen.at(-1)).toBe('070707');
});
