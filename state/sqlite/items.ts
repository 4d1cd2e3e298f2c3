/** Items on SQLite: found by their numbers in an index, read a few at a time. */
import type { Database } from 'bun:sqlite';
import type { Item } from '@langchain/langgraph-checkpoint';
import { matchesFilter } from '../items/filter.ts';
import type { ItemChange, ItemPlace, ItemReading, Items } from '../items/items.ts';
import { decode } from '../serializer.ts';
import type { GroupCommit } from './file/group-commit.ts';
import { type ItemRow, itemStatements } from './item-statements.ts';

// A search that takes longer lets others have their turn.
const SLICE_MS = 8;

export function items(db: Database, commit: GroupCommit): Items {
  const sql = itemStatements(db);
  let unwritten = 0;

  function counted(written: Promise<void>): Promise<void> {
    unwritten++;
    return written.finally(() => unwritten--);
  }

  /** A read must see what was asked for before it. */
  function writeFirst(): void {
    if (unwritten > 0) commit.flush();
  }

  /** Lost with a crash within some milliseconds, so it costs no commit of its own. */
  function refresh(owner: string, rows: ItemRow[], { now, refresh }: ItemReading): void {
    const living = rows.flatMap(({ seq, ttl }) => (ttl === null ? [] : [seq]));
    if (!refresh || living.length === 0) return;
    const written = commit.defer(unitOf(owner), () => void sql.refresh.run(now, JSON.stringify(living)));
    // It is tried again with the next read.
    counted(written).catch(() => {});
  }

  function apply(owner: string, { namespace, key, text, ttl }: ItemChange, now: number): void {
    const place = [owner, pathOf(namespace), key] as const;
    // What has expired is not there: it is not changed, but made anew.
    if (text === null) sql.remove.run(...place);
    else {
      sql.removeExpired.run(...place, now);
      sql.put.run(...place, text, now, ttl);
    }
  }

  return {
    async get(owner, { namespace, key }: ItemPlace, reading) {
      writeFirst();
      const row = sql.get.get(owner, pathOf(namespace), key, reading.now);
      if (!row) return undefined;
      refresh(owner, [row], reading);
      return itemOf(row);
    },
    async search(owner, { prefix, filter, offset, limit }, reading) {
      writeFirst();
      const numbers = sql.numbers(owner, pathOf(prefix), reading.now);
      const rows: ItemRow[] = [];
      const found: Item[] = [];
      let passed = filter ? 0 : offset;
      let since = performance.now();
      for (const number of numbers.slice(passed)) {
        if (found.length >= limit) break;
        if (performance.now() - since > SLICE_MS) {
          await Bun.sleep(0);
          since = performance.now();
        }
        const row = sql.row.get(number, reading.now);
        const item = row && itemOf(row);
        if (!item || (filter && !matchesFilter(item.value, filter)) || passed++ < offset) continue;
        rows.push(row);
        found.push(item);
      }
      refresh(owner, rows, reading);
      return found;
    },
    async namespaces(owner, now) {
      writeFirst();
      return sql.namespaces.all(owner, now).map(({ namespace }) => namespace.split(':'));
    },
    change: (owner, changes, now) =>
      counted(
        commit.write(unitOf(owner), () => {
          for (const change of changes) apply(owner, change, now);
        }),
      ),
  };
}

function unitOf(owner: string): string {
  return `items of ${owner}`;
}

/** No label has a colon. */
function pathOf(namespace: string[]): string {
  return namespace.join(':');
}

function itemOf({ namespace, key, value, created_at, updated_at }: ItemRow): Item {
  return {
    namespace: namespace.split(':'),
    key,
    value: decode(value) as Item['value'],
    createdAt: new Date(created_at),
    updatedAt: new Date(updated_at),
  };
}
