/** The store: items that graphs keep across threads. */
import { accepted, api, ask, SERVICE } from '../service/service.ts';
import { sessionFetch } from '../session/session.ts';
import { omitEmpty } from './threads/threads.ts';

/** `prefix`: labels, joined by dots; empty for all namespaces. */
export const listNamespaces = (prefix: string, cursor?: string) =>
  ask(api.store.namespaces.get({ query: { limit: '100', ...omitEmpty({ prefix, cursor }) } }));

export const listItems = (prefix: string, cursor?: string) =>
  ask(api.store.items.get({ query: { limit: '50', ...omitEmpty({ prefix, cursor }) } }));

export type ItemEntry = Awaited<ReturnType<typeof listItems>>['items'][number];

export const readItem = (namespace: string, key: string) =>
  ask(api.store.item.get({ query: { namespace, key } }));

export type StoredItem = Awaited<ReturnType<typeof readItem>>;

export const pathOf = (namespace: string[]) => namespace.join('.');

type ItemKey = Pick<StoredItem, 'namespace' | 'key'>;

/** `ttl`: the item's time to live in minutes, or null. It starts again with each read or write. */
export const writeItem = ({ namespace, key }: ItemKey, value: object, ttl: number | null) =>
  send('PUT', { namespace, key, value, ttl });

export const deleteItem = ({ namespace, key }: ItemKey) => send('DELETE', { namespace, key });

/** Uses the LangGraph protocol, whose errors are plain text. */
async function send(method: string, body: object): Promise<void> {
  const response = await sessionFetch(`${SERVICE}/store/items`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const isText = response.headers.get('content-type')?.startsWith('text/plain');
  if (!response.ok && isText) throw new Error(await response.text());
  await accepted(response);
}
