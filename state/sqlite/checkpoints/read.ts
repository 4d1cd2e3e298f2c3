/** Reads stored checkpoints as LangGraph's tuples. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type {
  ChannelVersions,
  CheckpointListOptions,
  CheckpointTuple,
} from '@langchain/langgraph-checkpoint';
import { decode } from '../../checkpoints/serializer.ts';
import {
  addParentSends,
  type CheckpointRow,
  hasParentSends,
  namespaceOf,
  placeOf,
  tupleOf,
} from '../../driver/checkpoints/tuples.ts';
import { slices } from '../../driver/slices.ts';
import type { ChannelValues } from './channel-values.ts';
import type { CheckpointStatements } from './statements.ts';

export interface CheckpointReader {
  /** The checkpoint that `config` names, or the newest of its namespace. */
  rowAt(config: RunnableConfig): CheckpointRow | undefined;
  /** `isForRun`: values that the reading run already has are taken from memory. */
  tuple(row: CheckpointRow, isForRun?: boolean): CheckpointTuple;
  /** Newest first. */
  list(config: RunnableConfig, options: CheckpointListOptions): AsyncGenerator<CheckpointTuple>;
}

interface Parts {
  sql: CheckpointStatements;
  values: ChannelValues;
  /** Commits queued writes, so that a following read sees them. `ownThread`: of the run that reads what it has written itself. */
  flush(ownThread?: string): void;
}

// Enough for most histories.
const PAGE = 100;

const beginSlices = slices();

export function checkpointReader({ sql, values, flush }: Parts): CheckpointReader {
  function tuple(row: CheckpointRow, isForRun = false): CheckpointTuple {
    const versions = JSON.parse(row.versions) as ChannelVersions;
    const read = values[isForRun ? 'readForRun' : 'read'](row.thread, row.ns, versions);
    const made = tupleOf(row, read, sql.allWritesOf.all(row.thread, row.ns, row.id));
    if (row.parent !== null && hasParentSends(made))
      addParentSends(made, sql.allWritesOf.all(row.thread, row.ns, row.parent));
    return made;
  }

  return {
    tuple,
    rowAt(config) {
      const thread = config.configurable?.thread_id;
      if (thread === undefined) return undefined;
      const ns = namespaceOf(config);
      const id = config.configurable?.checkpoint_id;
      // A run only needs its own queued writes; a reader must see the writes of all runs.
      const isReader = config.configurable?.run_id === undefined;
      flush(isReader ? undefined : thread);
      return (id ? sql.one.get(thread, ns, id) : sql.newest.get(thread, ns)) ?? undefined;
    },
    async *list(config, options) {
      const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } = placeOf(config);
      // Ids are unique in a namespace only.
      const isPaged = thread !== undefined && ns !== undefined;
      const filter = Object.entries(options.filter ?? {});
      let before = options.before?.configurable?.checkpoint_id;
      let remaining = options.limit ?? Number.POSITIVE_INFINITY;
      const slice = beginSlices();
      for (let hasMore = true; hasMore; ) {
        flush();
        const rows = sql.listed({ thread, ns, id, before }, isPaged ? PAGE : -1);
        hasMore = isPaged && rows.length === PAGE;
        for (const row of rows) {
          if (remaining <= 0) return;
          before = row.id;
          const metadata = decode(row.metadata) as Record<string, unknown>;
          if (filter.every(([key, value]) => metadata[key] === value)) {
            remaining--;
            yield tuple(row);
          }
          if (!isPaged || !slice.isOver()) continue;
          await slice.next();
          // The rest may have been deleted meanwhile.
          hasMore = true;
          break;
        }
      }
    },
  };
}
