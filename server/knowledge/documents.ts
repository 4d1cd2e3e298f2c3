/** The documents of the knowledge base: list, upload, read, delete. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import type { Library } from '../../tools/knowledge/library.ts';
import { composedName } from '../../tools/knowledge/local/folder/uploads.ts';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/error-schema.ts';
import { cursorOf, pageQuery, pageRequest } from '../http/paging.ts';
import type { Services } from '../services.ts';
import {
  checkDocumentName,
  Document,
  DocumentParams,
  Documents,
  documentShape,
  UploadParams,
} from './shape.ts';

const POSITION = ['string'] as const;

export const DOCUMENT_ROUTE = '/api/v1/knowledge/documents/:name';

const tags = ['knowledge'];
const ALWAYS = ['UNAUTHORIZED', 'CONFIGURATION_ERROR'] as const;

export const knowledgeDocumentRoutes = ({ knowledge, documentAuthors, log }: Services) =>
  new Elysia({ name: 'knowledge-documents' })
    .get(
      '/api/v1/knowledge/documents',
      async ({ query }) => {
        const { limit, after } = pageRequest(query, POSITION);
        const documents = await knowledge.open().documents();
        const left = documents.filter(({ name }) => after === undefined || name > after[0]);
        const page = left.toSorted(byName).slice(0, limit);
        const authors = await documentAuthors.of(page.map(({ name }) => name));
        const last = left.length > limit ? page.at(-1) : undefined;
        return {
          documents: page.map((one) => documentShape(one, authors.get(one.name))),
          next_cursor: cursorOf(last ? [last.name] : null),
        };
      },
      {
        query: Type.Object(pageQuery(POSITION)),
        response: { 200: Documents },
        detail: {
          summary: 'The documents of the knowledge base, by name',
          tags,
          responses: errorResponses('INVALID_REQUEST', ...ALWAYS),
        },
      },
    )
    .put(
      DOCUMENT_ROUTE,
      async ({ params, body, request, status }) => {
        const name = composedName(params.name);
        const author = ownerOf(request);
        const sent = { bytes: 0 };
        // It stays whether it can be indexed or not, and whether its sender waits for that or not.
        const onSaved = async () => {
          await documentAuthors.set(name, author);
          log.info({ audit: 'document uploaded', document: name, ...sent, author }, 'document uploaded');
        };
        const { document, created } = await knowledge.open().add(name, piecesOf(body, sent), onSaved);
        return status(created ? 201 : 200, documentShape(document, author));
      },
      {
        params: UploadParams,
        response: { 200: Document, 201: Document },
        detail: {
          summary: 'Upload a document, new or in place of another; it is there once it is indexed',
          tags,
          requestBody: {
            required: true,
            content: { 'application/octet-stream': { schema: { ...BINARY, minLength: 1 } } },
          },
          responses: errorResponses('INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', ...ALWAYS),
        },
      },
    )
    .get(
      DOCUMENT_ROUTE,
      async ({ params: { name }, set }) => {
        checkDocumentName(name);
        const library = knowledge.open();
        const bytes = (await library.read(name)) ?? (await library.read(composedName(name)));
        if (!bytes) throw new SkeinError('DOCUMENT_NOT_FOUND');
        Object.assign(set.headers, fileHeaders(name));
        // Never shared memory, which the types of browsers would have excluded.
        return new Response(bytes as Uint8Array<ArrayBuffer>);
      },
      {
        params: DocumentParams,
        detail: {
          summary: "A document's file, as it is",
          tags,
          responses: { 200: FILE, ...errorResponses('DOCUMENT_NOT_FOUND', 'PAYLOAD_TOO_LARGE', ...ALWAYS) },
        },
      },
    )
    .delete(
      DOCUMENT_ROUTE,
      async ({ params, request, set }) => {
        checkDocumentName(params.name);
        const name = await removed(knowledge.open(), params.name);
        await documentAuthors.remove(name);
        log.info({ audit: 'document deleted', document: name, author: ownerOf(request) }, 'document deleted');
        set.status = 204;
      },
      {
        params: DocumentParams,
        detail: {
          summary: 'Delete a document, and its passages',
          tags,
          responses: {
            204: { description: 'It is gone' },
            ...errorResponses('DOCUMENT_NOT_FOUND', ...ALWAYS),
          },
        },
      },
    );

/** The name that it had. */
async function removed(library: Library, name: string): Promise<string> {
  for (const each of new Set([name, composedName(name)])) if (await library.remove(each)) return each;
  throw new SkeinError('DOCUMENT_NOT_FOUND');
}

function byName({ name: a }: { name: string }, { name: b }: { name: string }): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What the parser gives for this route: the bytes as they come. */
async function* piecesOf(body: unknown, sent: { bytes: number }): AsyncGenerator<Uint8Array> {
  if (isIterable(body))
    for await (const piece of body) {
      sent.bytes += piece.length;
      yield piece;
    }
  if (sent.bytes === 0) throw new SkeinError('INVALID_REQUEST', { detail: 'body: expected the document' });
}

function isIterable(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

const PLAIN = 'text/plain';
const TYPES: Record<string, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  epub: 'application/epub+zip',
};

const BINARY = { type: 'string' as const, format: 'binary' };

const FILE = {
  description: 'The exact bytes',
  content: Object.fromEntries([PLAIN, ...Object.values(TYPES)].map((type) => [type, { schema: BINARY }])),
};

/** Anybody may have uploaded it: no browser runs, renders or guesses it at this address. */
function fileHeaders(name: string): Record<string, string> {
  const file = name.split('/').at(-1) ?? name;
  const encoded = encodeURIComponent(file).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return {
    'content-type': TYPES[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? PLAIN,
    'content-disposition': `attachment; filename*=UTF-8''${encoded}`,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  };
}
