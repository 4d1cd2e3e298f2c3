/** Converts rows of threads for readers, and builds pages of them. */
import type { Page, PageRequest, StoredThread } from '../threads/archive.ts';
import type { PruneStrategy } from '../threads/threads.ts';
import { type ThreadRow, toThread } from './rows.ts';
import { MINUTE_MS } from './thread-ttl.ts';

export interface StoredThreadRow extends ThreadRow {
  metadata: string | null;
  failed: number;
  /** The id of the thread from which it was forked. */
  parent: string | null;
  parent_checkpoint: string | null;
  busy: number | boolean;
  /** Milliseconds. */
  ttl: number | null;
  ttl_strategy: PruneStrategy;
  ttl_since: number;
}

export type ThreadPosition = [at: number, row: number];

// Reading this many titles takes about a millisecond. Other work can run between two slices.
const SLICE = 500;

/** A page of threads whose title or id contains `text`. `read` returns the next `limit` threads after a position. */
export async function threadPage(
  read: (limit: number, after: ThreadPosition | undefined) => StoredThreadRow[] | Promise<StoredThreadRow[]>,
  text: string | undefined,
  { limit, after }: PageRequest<ThreadPosition>,
): Promise<Page<StoredThread>> {
  const wanted = text?.toLowerCase();
  const size = wanted === undefined ? limit + 1 : Math.max(SLICE, limit + 1);
  const found: StoredThreadRow[] = [];
  let from = after;
  while (found.length <= limit) {
    const rows = await read(size, from);
    found.push(...rows.filter((row) => wanted === undefined || holds(row, wanted)));
    from = positionOf(rows.at(-1));
    if (rows.length < size) break;
    if (found.length <= limit) await Bun.sleep(0);
  }
  const items = found.slice(0, limit);
  const next = found.length > limit ? (positionOf(items.at(-1)) ?? null) : null;
  return { items: items.map(toStoredThread), next };
}

function holds({ title, thread_id }: ThreadRow, wanted: string): boolean {
  return thread_id.toLowerCase().includes(wanted) || title.toLowerCase().includes(wanted);
}

function positionOf(row: StoredThreadRow | undefined): ThreadPosition | undefined {
  return row && [row.updated_at, row.key];
}

export function toStoredThread(row: StoredThreadRow): StoredThread {
  const { busy, interrupt, failed, parent, parent_checkpoint, ttl, ttl_strategy, ttl_since } = row;
  return {
    ...toThread(row),
    status: busy ? 'busy' : interrupt !== null ? 'interrupted' : failed ? 'error' : 'idle',
    metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
    ttl:
      ttl === null
        ? null
        : {
            ...{ minutes: ttl / MINUTE_MS, strategy: ttl_strategy },
            expiresAt: Math.max(row.updated_at, ttl_since) + ttl,
          },
    parent:
      parent === null || parent_checkpoint === null
        ? null
        : { threadId: parent, checkpointId: parent_checkpoint },
  };
}
