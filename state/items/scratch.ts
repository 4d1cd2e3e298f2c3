/** In-memory changes on top of stored items, for executions that are not stored. */
import type { Item, SearchItem } from '@langchain/langgraph-checkpoint';
import { decode } from '../checkpoints/serializer.ts';
import { matchesFilter } from './filter.ts';
import type { ItemKey, Items } from './items.ts';
import { bestScore, byScore, type ItemVectors, type QueryVector } from './vectors.ts';

interface Change extends Omit<Item, 'value'> {
  owner: string;
  /** Null: deleted. */
  text: string | null;
  vectors: ItemVectors | null;
}

/** Reads the stored items and keeps changes in memory. The changes don't expire, because the store lives for one run. */
export function scratchItems(stored: Items): Items {
  const changes = new Map<string, Change>();
  const changeOf = (owner: string, { namespace, key }: ItemKey) =>
    changes.get(JSON.stringify([owner, namespace, key]));
  /** The owner's changed items, in the order of their first change. */
  const put = (owner: string, near?: QueryVector): SearchItem[] =>
    [...changes.values()].flatMap((change) => {
      const score = near && bestScore(change.vectors, near);
      const items = change.owner === owner ? itemsOf(change) : [];
      return score === undefined ? items : items.map((item) => ({ ...item, score }));
    });

  const items: Items = {
    async get(owner, item, { now }) {
      const change = changeOf(owner, item);
      return change ? itemsOf(change)[0] : stored.get(owner, item, { now, refresh: false });
    },
    async search(owner, { prefix, filter, near, offset, limit }, { now }) {
      // Each change may hide one stored result, so read as many more.
      const query = { prefix, filter, near, offset: 0, limit: offset + limit + changes.size };
      const found = await stored.search(owner, query, { now, refresh: false });
      const unchanged = found.filter((item) => !changeOf(owner, item));
      const own = put(owner, near).filter(
        ({ namespace, value }) =>
          prefix.every((label, index) => label === namespace[index]) &&
          (!filter || matchesFilter(value, filter)),
      );
      const all = [...unchanged, ...own];
      return (near ? all.sort(byScore) : all).slice(offset, offset + limit);
    },
    async namespaces(owner, now) {
      return [...(await stored.namespaces(owner, now)), ...put(owner).map(({ namespace }) => namespace)];
    },
    async change(owner, requested, now) {
      for (const { namespace, key, text, vectors } of requested) {
        const before = await items.get(owner, { namespace, key }, { now, refresh: false });
        const at = new Date(now);
        const createdAt = before?.createdAt ?? at;
        const change = { owner, namespace, key, text, vectors, createdAt, updatedAt: at };
        changes.set(JSON.stringify([owner, namespace, key]), change);
      }
    },
  };
  return items;
}

function itemsOf({ owner: _, text, vectors: __, ...item }: Change): Item[] {
  return text === null ? [] : [{ ...item, value: decode(text) as Item['value'] }];
}
