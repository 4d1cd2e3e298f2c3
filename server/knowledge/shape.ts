/** The schemas of the knowledge base's endpoints, and the check of document names. */
import { sep } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { SkeinError } from '../../state/errors.ts';
import type { Passage as FoundPassage, Document as StoredDocument } from '../../tools/knowledge/library.ts';
import { UPLOAD_NAME } from '../../tools/knowledge/local/folder/uploads.ts';
import { pageOf } from '../http/schemas/paging.ts';

export const DocumentParams = Type.Object({
  name: Type.String({ description: 'Percent-encoded. The slash before a file in a sub-folder is %2F' }),
});

/** The pattern is only `documented`, because the knowledge base checks names with more specific errors. */
export const UploadParams = Type.Object({
  name: Type.String({
    documented: { pattern: UPLOAD_NAME },
    description: 'Percent-encoded, at most 255 bytes in UTF-8. Stored in Unicode normalization form C',
  }),
});

export const Document = Type.Object(
  {
    name: Type.String({ description: 'The path below the documents folder' }),
    state: Type.Union([Type.Literal('indexed'), Type.Literal('indexing'), Type.Literal('failed')], {
      description: 'indexing: it is not searched yet; failed: see `error`',
    }),
    chunks: Type.Integer({ description: 'Passages in the index' }),
    bytes: Type.Integer({ description: 'The size of the file' }),
    updated_at: Type.String({ format: 'date-time', description: 'When the file was last changed' }),
    error: Type.Optional(Type.String({ description: 'Why the document could not be indexed' })),
    author: Type.Optional(
      Type.String({ description: 'The caller of the last upload. Omitted for files added by hand' }),
    ),
  },
  { title: 'Document' },
);

export const Documents = pageOf('documents', Document, 'Documents');

export function documentShape(document: StoredDocument, author: string | undefined): Static<typeof Document> {
  const { name, state, chunks, bytes, updatedAt, error } = document;
  return {
    ...{ name, state, chunks, bytes, updated_at: updatedAt.toISOString() },
    ...(error !== undefined && { error }),
    ...(author !== undefined && { author }),
  };
}

const Score = (description: string) => Type.Union([Type.Number(), Type.Null()], { description });

export const Passages = Type.Object(
  {
    found: Type.Boolean({ description: 'Whether any passage is relevant to the query' }),
    passages: Type.Array(
      Type.Object({
        document: Type.String({ description: 'The name of the document' }),
        heading: Type.String({ description: 'The headings above it, joined by >' }),
        page: Type.Union([Type.Integer(), Type.Null()], {
          description: 'The page, or null if the document has no pages',
        }),
        start: Type.Integer({ description: "Start offset in the document's text, in UTF-16 code units" }),
        end: Type.Integer({ description: 'End offset, exclusive' }),
        text: Type.String({ description: 'The text of the passage' }),
        scores: Type.Object(
          {
            vector: Score('Cosine similarity to the query. Null if only the word search found the passage'),
            text: Score('BM25 score. Null if the passage contains none of the words'),
            fused: Type.Number({ description: 'By which the passages are ranked; it has no unit' }),
          },
          { description: 'How it was found' },
        ),
      }),
      { description: 'Best first' },
    ),
  },
  { title: 'Passages' },
);

export function passageShape({ document, heading, page, start, end, text, scores }: FoundPassage) {
  const { vector, text: words, fused } = scores;
  return { document, heading, page, start, end, text, scores: { vector, text: words, fused } };
}

// Matches names that can't be a path below a folder. All other characters are allowed, because files that were added by hand may
// have any name.
const INVALID_NAME = sep === '/' ? /\0|(?:^|\/)\.{0,2}(?:\/|$)/ : /\0|\\|(?:^|\/)\.{0,2}(?:\/|$)/;
const MAX_NAME_LENGTH = 1_024;

/** Throws DOCUMENT_NOT_FOUND for a name that can't be a file below the documents folder. */
export function checkDocumentName(name: string): void {
  if (name.length > MAX_NAME_LENGTH || INVALID_NAME.test(name) || !name.isWellFormed()) {
    throw new SkeinError('DOCUMENT_NOT_FOUND');
  }
}
