/** The documents of the knowledge base as MCP resources. */
import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/server';
import { SkeinError } from '../../state/errors.ts';
import { checkDocumentName } from '../knowledge/shape.ts';
import type { McpCall } from './call.ts';
import { pageAfter } from './pagination.ts';

const PREFIX = 'skein://documents/';

export const DOCUMENT = {
  uriTemplate: `${PREFIX}{name}`,
  name: 'document',
  title: 'A document of the knowledge base',
};

// Clients over stdio read messages of at most 10 MB, and base64 makes a binary file a third larger.
const MAX_BYTES = 5 * 2 ** 20;

const TEXT_TYPES: Record<string, string> = {
  md: 'text/markdown',
  txt: 'text/plain',
  html: 'text/html',
  csv: 'text/csv',
};
const BINARY_TYPES: Record<string, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};

/** Throws INVALID_REQUEST for an invalid cursor. */
export async function listDocuments(
  { services: { knowledge } }: McpCall,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const documents = await knowledge.open().documents();
  const { items, nextCursor } = pageAfter(documents, cursor, ({ name }) => name);
  const resources = items.map(({ name, bytes, updatedAt }) => ({
    uri: PREFIX + encodeURIComponent(name),
    name,
    mimeType: typeOf(name),
    size: bytes,
    annotations: { lastModified: updatedAt.toISOString() },
  }));
  return { resources, ...(nextCursor !== undefined && { nextCursor }) };
}

/** Returns text documents as text, and others in base64. Throws DOCUMENT_NOT_FOUND or PAYLOAD_TOO_LARGE. */
export async function readDocument(
  { services: { knowledge } }: McpCall,
  uri: string,
): Promise<ReadResourceResult> {
  const name = nameIn(uri);
  checkDocumentName(name);
  const bytes = await knowledge.open().read(name);
  if (!bytes) throw new SkeinError('DOCUMENT_NOT_FOUND');
  if (bytes.length > MAX_BYTES) {
    throw new SkeinError('PAYLOAD_TOO_LARGE', {
      message: `The document is larger than ${MAX_BYTES / 2 ** 20} MiB`,
      detail: `get it from /api/v1/knowledge/documents/${encodeURIComponent(name)}`,
    });
  }
  const mimeType = typeOf(name);
  if (Object.hasOwn(TEXT_TYPES, extensionOf(name)))
    return { contents: [{ uri, mimeType, text: new TextDecoder().decode(bytes) }] };
  return { contents: [{ uri, mimeType, blob: Buffer.from(bytes).toString('base64') }] };
}

function nameIn(uri: string): string {
  if (!uri.startsWith(PREFIX)) throw new SkeinError('DOCUMENT_NOT_FOUND');
  try {
    return decodeURIComponent(uri.slice(PREFIX.length));
  } catch (cause) {
    throw new SkeinError('DOCUMENT_NOT_FOUND', { cause });
  }
}

function typeOf(name: string): string {
  const extension = extensionOf(name);
  return TEXT_TYPES[extension] ?? BINARY_TYPES[extension] ?? 'application/octet-stream';
}

function extensionOf(name: string): string {
  return /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}
