/** Items in memory over stored ones, for what is executed and not kept. */
import type { Item } from '@langchain/langgraph-checkpoint';
import { decode } from '../serializer.ts';
import { matchesFilter } from './filter.ts';
import type { ItemPlace, Items } from './items.ts';

interface Change extends Omit<Item, 'value'> {
  owner: string;
  /** Null: deleted. */
  text: string | null;
}

/** Shows what is stored, and keeps its changes to itself. They do not expire: it lives for one run. */
export function scratchItems(stored: Items): Items {
  const changes = new Map<string, Change>();
  const changeOf = (owner: string, { namespace, key }: ItemPlace) =>
    changes.get(JSON.stringify([owner, namespace, key]));
  /** What was put, in the order of the first change of each. */
  const put = (owner: string): Item[] =>
    [...changes.values()].flatMap((change) => (change.owner === owner ? itemsOf(change) : []));

  const items: Items = {
    async get(owner, place, { now }) {
      const change = changeOf(owner, place);
      return change ? itemsOf(change)[0] : stored.get(owner, place, { now, refresh: false });
    },
    async search(owner, { prefix, filter, offset, limit }, { now }) {
      // As many more as may fall away.
      const query = { prefix, filter, offset: 0, limit: offset + limit + changes.size };
      const found = await stored.search(owner, query, { now, refresh: false });
      const unchanged = found.filter((item) => !changeOf(owner, item));
      const own = put(owner).filter(
        ({ namespace, value }) =>
          prefix.every((label, index) => label === namespace[index]) &&
          (!filter || matchesFilter(value, filter)),
      );
      return [...unchanged, ...own].slice(offset, offset + limit);
    },
    async namespaces(owner, now) {
      return [...(await stored.namespaces(owner, now)), ...put(owner).map(({ namespace }) => namespace)];
    },
    async change(owner, made, now) {
      for (const { namespace, key, text } of made) {
        const before = await items.get(owner, { namespace, key }, { now, refresh: false });
        const at = new Date(now);
        const change = { owner, namespace, key, text, createdAt: before?.createdAt ?? at, updatedAt: at };
        changes.set(JSON.stringify([owner, namespace, key]), change);
      }
    },
  };
  return items;
}

function itemsOf({ owner: _, text, ...item }: Change): Item[] {
  return text === null ? [] : [{ ...item, value: decode(text) as Item['value'] }];
}
