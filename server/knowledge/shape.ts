/** The shapes of the knowledge base's endpoints, and which names no document has. */
import { sep } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { SkeinError } from '../../state/errors.ts';
import type { Passage as Found, Document as Stored } from '../../tools/knowledge/library.ts';
import { UPLOAD_NAME } from '../../tools/knowledge/local/folder/uploads.ts';
import { pageOf } from '../http/paging.ts';

export const DocumentParams = Type.Object({
  name: Type.String({ description: 'Percent-encoded; of a file in a sub-folder with %2F' }),
});

/** Checked by the knowledge base, which says what is wrong with a name. */
export const UploadParams = Type.Object({
  name: Type.String({
    documented: { pattern: UPLOAD_NAME },
    description: 'Percent-encoded; at most 255 bytes in UTF-8, kept in Unicode normalization form C',
  }),
});

export const Document = Type.Object(
  {
    name: Type.String(),
    state: Type.Union([Type.Literal('indexed'), Type.Literal('indexing'), Type.Literal('failed')]),
    chunks: Type.Integer({ description: 'Passages in the index' }),
    bytes: Type.Integer(),
    updated_at: Type.String({ format: 'date-time' }),
    error: Type.Optional(Type.String({ description: 'Why it could not be read' })),
    author: Type.Optional(
      Type.String({ description: 'Who uploaded it last; not of files put there by hand' }),
    ),
  },
  { title: 'Document' },
);

export const Documents = pageOf('documents', Document, 'Documents');

export function documentShape(document: Stored, author: string | undefined): Static<typeof Document> {
  const { name, state, chunks, bytes, updatedAt, error } = document;
  return {
    ...{ name, state, chunks, bytes, updated_at: updatedAt.toISOString() },
    ...(error !== undefined && { error }),
    ...(author !== undefined && { author }),
  };
}

const Score = Type.Union([Type.Number(), Type.Null()]);

export const Passages = Type.Object(
  {
    found: Type.Boolean({ description: 'Whether any of them has to do with the query' }),
    passages: Type.Array(
      Type.Object({
        document: Type.String(),
        heading: Type.String(),
        page: Type.Union([Type.Integer(), Type.Null()]),
        start: Type.Integer({ description: 'Characters of the document’s text' }),
        end: Type.Integer(),
        text: Type.String(),
        scores: Type.Object({ vector: Score, text: Score, fused: Type.Number() }),
      }),
    ),
  },
  { title: 'Passages' },
);

export function passageShape({ document, heading, page, start, end, text, scores }: Found) {
  const { vector, text: words, fused } = scores;
  return { document, heading, page, start, end, text, scores: { vector, text: words, fused } };
}

// What no path below a folder has. A file that was put there by hand may have any other character in its name.
const UNNAMED = sep === '/' ? /\0|(?:^|\/)\.{0,2}(?:\/|$)/ : /\0|\\|(?:^|\/)\.{0,2}(?:\/|$)/;
const LONGEST_NAME = 1_024;

/** Throws DOCUMENT_NOT_FOUND for what can be no file below a folder, before anybody looks for it. */
export function checkDocumentName(name: string): void {
  if (name.length > LONGEST_NAME || UNNAMED.test(name) || !name.isWellFormed()) {
    throw new SkeinError('DOCUMENT_NOT_FOUND');
  }
}
