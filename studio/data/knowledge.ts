/** The documents of the knowledge base, and its search. */
import { accepted, api, ask, askWhole, SERVICE } from '../service/service.ts';
import { inSession } from '../session/session.ts';
import { omitEmpty } from './threads/threads.ts';

export const listDocuments = (cursor?: string) =>
  ask(api.knowledge.documents.get({ query: { limit: '100', ...omitEmpty({ cursor }) } }));

export type DocumentEntry = Awaited<ReturnType<typeof listDocuments>>['documents'][number];

export const search = (query: string) => ask(api.knowledge.search.post({ query }));

export type Passage = Awaited<ReturnType<typeof search>>['passages'][number];

const pathOf = (name: string) => `/api/v1/knowledge/documents/${encodeURIComponent(name)}`;

export async function readDocument(name: string): Promise<Blob> {
  return (await askWhole(pathOf(name))).blob();
}

export async function documentExists(name: string): Promise<boolean> {
  const response = await inSession((authorization) =>
    fetch(SERVICE + pathOf(name), {
      method: 'HEAD',
      headers: omitEmpty({ authorization }),
      credentials: 'omit',
    }),
  );
  return response.ok;
}

export async function removeDocument(name: string): Promise<void> {
  await ask(api.knowledge.documents({ name: encodeURIComponent(name) }).delete());
}

/** Resolves when the document is indexed. `sent` gets the fraction that has been uploaded, from 0 to 1. */
export async function upload(
  name: string,
  file: File,
  sent: (share: number) => void,
): Promise<DocumentEntry> {
  const response = await inSession((authorization) =>
    put({ url: SERVICE + pathOf(name), authorization, file, sent }),
  );
  return (await accepted(response)).json() as Promise<DocumentEntry>;
}

interface UploadRequest {
  url: string;
  authorization: string | undefined;
  file: File;
  sent(share: number): void;
}

/** With XMLHttpRequest, because `fetch` doesn't report the progress of an upload. */
function put({ url, authorization, file, sent }: UploadRequest): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  request.open('PUT', url);
  if (authorization) request.setRequestHeader('authorization', authorization);
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.upload.onprogress = ({ loaded, total }) => sent(total > 0 ? loaded / total : 0);
  request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
  request.onerror = () => reject(new Error("Can't reach the service"));
  request.send(file);
  return promise;
}
