/** The documents of the knowledge base, and searches in them. */
import { accepted, api, ask, askWhole, SERVICE } from '../service.ts';
import { inSession } from '../session.ts';
import { given } from './threads.ts';

export const listDocuments = (cursor?: string) =>
  ask(api.knowledge.documents.get({ query: { limit: '100', ...given({ cursor }) } }));

export type DocumentEntry = Awaited<ReturnType<typeof listDocuments>>['documents'][number];

export const search = (query: string) => ask(api.knowledge.search.post({ query }));

export type Passage = Awaited<ReturnType<typeof search>>['passages'][number];

const pathOf = (name: string) => `/api/v1/knowledge/documents/${encodeURIComponent(name)}`;

export async function readDocument(name: string): Promise<Blob> {
  return (await askWhole(pathOf(name))).blob();
}

export async function isThere(name: string): Promise<boolean> {
  const response = await inSession((authorization) =>
    fetch(pathOf(name), { method: 'HEAD', headers: given({ authorization }), credentials: 'omit' }),
  );
  return response.ok;
}

export async function removeDocument(name: string): Promise<void> {
  await ask(api.knowledge.documents({ name: encodeURIComponent(name) }).delete());
}

/** `sent` is told the share that has been sent, 0 to 1; the answer comes once the document is indexed. */
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

interface Sending {
  url: string;
  authorization: string | undefined;
  file: File;
  sent(share: number): void;
}

/** The platform's fetch does not say how much it has sent. */
function put({ url, authorization, file, sent }: Sending): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = new XMLHttpRequest();
  request.open('PUT', url);
  if (authorization) request.setRequestHeader('authorization', authorization);
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.upload.onprogress = ({ loaded, total }) => sent(total > 0 ? loaded / total : 0);
  request.onload = () => resolve(new Response(request.responseText, { status: request.status }));
  request.onerror = () => reject(new Error('The service cannot be reached'));
  request.send(file);
  return promise;
}
