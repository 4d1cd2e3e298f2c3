/** Passages as table rows. */
import type { Chunk } from '../../documents/chunk.ts';

export interface Row {
  revision: number;
  chunk: Chunk;
  vector: Float32Array;
}

/** The columns that a search reads. */
export const COLUMNS = ['id', 'revision', 'parent', 'heading', 'page', 'start', 'end', 'body'];

/** The searchable text: the headings, followed by the text. */
export function bodyOf({ heading, text }: Pick<Chunk, 'heading' | 'text'>): string {
  return heading === '' ? text : `${heading}\n${text}`;
}

export function textOf(heading: string, body: string): string {
  return heading === '' ? body : body.slice(heading.length + 1);
}
