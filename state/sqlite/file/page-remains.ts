/** Finds deleted data in the unused part of a SQLite page: https://www.sqlite.org/fileformat.html#b_tree_pages */

/** Page types: tables and indexes, each with inner pages and leaves. Other pages start with 0 in a file of less than 128 GB. */
const INNER = [2, 5];
const LEAVES = [10, 13];
const FILE_HEADER_BYTES = 100;
const ZEROS = Buffer.alloc(65_536);

/**
 * The start and end of the unused part of a page, between its row pointers and its rows; undefined if it is empty or contains no
 * data. `number` is the page's number, from 1. With `secure_delete`, SQLite overwrites deleted data in all other parts and pages
 * itself.
 */
export function remainsIn(page: Buffer, number: number): [start: number, end: number] | undefined {
  const header = number === 1 ? FILE_HEADER_BYTES : 0;
  const type = page.readUInt8(header);
  const isInner = INNER.includes(type);
  if (!isInner && !LEAVES.includes(type)) return undefined;
  const rows = page.readUInt16BE(header + 3);
  const start = header + (isInner ? 12 : 8) + 2 * rows;
  // 0 means 65,536.
  const end = page.readUInt16BE(header + 5) || 65_536;
  if (start >= end || end > page.length) return undefined;
  return page.compare(ZEROS, 0, end - start, start, end) === 0 ? undefined : [start, end];
}

/** Reads bytes at a position into a buffer; returns how many. */
export type ReadBytes = (buffer: Buffer, position: number) => number;

const READ_BYTES = 4 * 1024 * 1024;

/** The numbers of the pages with deleted data. */
export function pagesWithRemains(read: ReadBytes, pageSize: number): number[] {
  const found: number[] = [];
  const buffer = Buffer.alloc(READ_BYTES);
  for (let position = 0; ; position += READ_BYTES) {
    const length = read(buffer, position);
    for (let start = 0; start + pageSize <= length; start += pageSize) {
      const number = (position + start) / pageSize + 1;
      if (remainsIn(buffer.subarray(start, start + pageSize), number)) found.push(number);
    }
    if (length < READ_BYTES) return found;
  }
}
