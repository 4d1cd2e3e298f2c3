/** Routes for the documents of the knowledge base: list, upload, read and delete. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import type { Library } from '../../tools/knowledge/library.ts';
import { composedName } from '../../tools/knowledge/local/folder/uploads.ts';
import { ownerOf } from '../authentication/identity.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { paging } from '../http/schemas/paging.ts';
import type { Services } from '../services.ts';
import {
  checkDocumentName,
  Document,
  DocumentParams,
  Documents,
  documentShape,
  UploadParams,
} from './shape.ts';

const PAGES = paging('documents', ['string']);

/** The route of uploads, whose bodies `app.ts` streams. */
export const DOCUMENT_ROUTE = '/api/v1/knowledge/documents/:name';

const tags = ['knowledge'];
const ALWAYS = ['UNAUTHORIZED', 'CONFIGURATION_ERROR'] as const;

export const knowledgeDocumentRoutes = ({ knowledge, documentAuthors, log }: Services) =>
  new Elysia({ name: 'knowledge-documents' })
    .get(
      '/api/v1/knowledge/documents',
      async ({ query }) => {
        const { limit, after } = PAGES.request(query);
        const documents = await knowledge.open().documents();
        const remaining = documents.filter(({ name }) => after === undefined || name > after[0]);
        const page = remaining.toSorted(byName).slice(0, limit);
        const authors = await documentAuthors.of(page.map(({ name }) => name));
        const last = remaining.length > limit ? page.at(-1) : undefined;
        return {
          documents: page.map((one) => documentShape(one, authors.get(one.name))),
          next_cursor: PAGES.cursorOf(last ? [last.name] : null),
        };
      },
      {
        query: Type.Object(PAGES.query),
        response: { 200: Documents },
        detail: {
          summary: 'List the documents of the knowledge base by name',
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
        const received = { bytes: 0 };
        // Called before the indexing, because the document stays even if indexing fails or the client disconnects.
        const onSaved = async () => {
          await documentAuthors.set(name, author);
          log.info({ audit: 'document uploaded', document: name, ...received, author }, 'document uploaded');
        };
        const { document, created } = await knowledge.open().add(name, chunksOf(body, received), onSaved);
        return status(created ? 201 : 200, documentShape(document, author));
      },
      {
        params: UploadParams,
        response: { 200: Document, 201: Document },
        detail: {
          summary: 'Create or replace a document; responds when it is indexed',
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
        // The cast excludes SharedArrayBuffer, which a file's bytes never use.
        return new Response(bytes as Uint8Array<ArrayBuffer>);
      },
      {
        params: DocumentParams,
        detail: {
          summary: "Get a document's original file",
          tags,
          responses: { 200: FILE, ...errorResponses('DOCUMENT_NOT_FOUND', 'PAYLOAD_TOO_LARGE', ...ALWAYS) },
        },
      },
    )
    .delete(
      DOCUMENT_ROUTE,
      async ({ params, request, set }) => {
        checkDocumentName(params.name);
        const name = await remove(knowledge.open(), params.name);
        await documentAuthors.remove(name);
        log.info({ audit: 'document deleted', document: name, author: ownerOf(request) }, 'document deleted');
        set.status = 204;
      },
      {
        params: DocumentParams,
        detail: {
          summary: 'Delete a document and its passages',
          tags,
          responses: {
            204: { description: 'Deleted' },
            ...errorResponses('DOCUMENT_NOT_FOUND', ...ALWAYS),
          },
        },
      },
    );

/** Returns the stored name of the document, in the given form or in Unicode normalization form C. */
async function remove(library: Library, name: string): Promise<string> {
  for (const each of new Set([name, composedName(name)])) if (await library.remove(each)) return each;
  throw new SkeinError('DOCUMENT_NOT_FOUND');
}

function byName({ name: a }: { name: string }, { name: b }: { name: string }): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Counts the bytes of the body, which `onParse` in `app.ts` streams for this route. Throws INVALID_REQUEST for an empty body. */
async function* chunksOf(body: unknown, received: { bytes: number }): AsyncGenerator<Uint8Array> {
  if (isIterable(body))
    for await (const chunk of body) {
      received.bytes += chunk.length;
      yield chunk;
    }
  if (received.bytes === 0)
    throw new SkeinError('INVALID_REQUEST', { detail: 'body: expected the content of the document' });
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
  description: 'The exact bytes of the file',
  content: Object.fromEntries([PLAIN, ...Object.values(TYPES)].map((type) => [type, { schema: BINARY }])),
};

/** Uploaded files aren't trusted: these headers keep browsers from rendering the file and from running scripts in it. */
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
