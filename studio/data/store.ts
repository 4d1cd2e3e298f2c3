/** The store: what graphs keep beyond a thread. */
import { accepted, api, ask, SERVICE } from '../service.ts';
import { sessionFetch } from '../session.ts';
import { given } from './threads.ts';

/** `prefix`: labels, joined by dots; empty: all. */
export const listNamespaces = (prefix: string, cursor?: string) =>
  ask(api.store.namespaces.get({ query: { limit: '100', ...given({ prefix, cursor }) } }));

export const listItems = (prefix: string, cursor?: string) =>
  ask(api.store.items.get({ query: { limit: '50', ...given({ prefix, cursor }) } }));

export type ItemEntry = Awaited<ReturnType<typeof listItems>>['items'][number];

export const readItem = (namespace: string, key: string) =>
  ask(api.store.item.get({ query: { namespace, key } }));

export type StoredItem = Awaited<ReturnType<typeof readItem>>;

export const pathOf = (namespace: string[]) => namespace.join('.');

type ItemKey = Pick<StoredItem, 'namespace' | 'key'>;

/** Minutes, or null, as the item had it: with its next read or write its time begins again. */
export const writeItem = ({ namespace, key }: ItemKey, value: object, ttl: number | null) =>
  send('PUT', { namespace, key, value, ttl });

export const deleteItem = ({ namespace, key }: ItemKey) => send('DELETE', { namespace, key });

/** Over LangGraph's protocol, which answers a refusal in words. */
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
