/** Imports the threads of LangGraph's PostgresSaver: checkpoints of all namespaces, their values and task writes. */
import { WRITES_IDX_MAP } from '@langchain/langgraph-checkpoint';
import type { Database } from '../../postgres/database/database.ts';
import type { State } from '../../state.ts';
import type { Archive } from '../../threads/archive.ts';
import { snapshot } from '../postgres-store.ts';
import { ImportError, type SavedCheckpoint, type SaverTables, saverTables } from './saver-tables.ts';

export interface ImportOptions {
  source: Database;
  /** The name of the source in errors. */
  sourceName: string;
  schema: string;
  target: Pick<State, 'checkpointer' | 'threads'> & { archive: Archive };
  owner: string;
  workflow: string;
  /** Why an id is not valid for a thread; undefined if it is valid. */
  refusal(threadId: string): string | undefined;
  /** Called for each thread that could not be imported. */
  failed(threadId: string, reason: string): void;
}

export interface Imported {
  threads: number;
  checkpoints: number;
  /** Threads that already existed. */
  skipped: number;
  failed: number;
}

/**
 * Imports threads one by one. A thread becomes visible with its last checkpoint. After an interruption, the unfinished
 * thread is imported again from its beginning.
 */
export function importThreads(options: ImportOptions): Promise<Imported> {
  const { source, sourceName, schema, failed } = options;
  const counts: Imported = { threads: 0, checkpoints: 0, skipped: 0, failed: 0 };
  return snapshot(source, sourceName, async (tx) => {
    const tables = await saverTables(tx, sourceName, schema);
    for await (const thread of threadsOf(tables.checkpoints())) {
      try {
        const checkpoints = await importThread(thread, tables, options);
        if (checkpoints === undefined) counts.skipped++;
        else counts.threads++;
        counts.checkpoints += checkpoints ?? 0;
      } catch (error) {
        if (!(error instanceof ImportError)) throw error;
        counts.failed++;
        failed(thread.id, error.message);
      }
      await thread.skip();
    }
    return counts;
  });
}

interface SavedThread {
  id: string;
  /** Can only be read until the next thread is requested. */
  checkpoints: AsyncIterable<SavedCheckpoint>;
  skip(): Promise<void>;
}

/** Returns the number of checkpoints; undefined if the thread already exists. */
async function importThread(
  { id, checkpoints }: SavedThread,
  tables: SaverTables,
  { target, owner, workflow, refusal }: ImportOptions,
): Promise<number | undefined> {
  const reason = refusal(id);
  if (reason) throw new ImportError(reason);
  const { archive, threads, checkpointer } = target;
  const known = await archive.threads.find(owner, id);
  if (known && (known.head !== null || known.workflow !== '' || known.status !== 'idle')) return undefined;
  let key = known?.key;
  if (key !== undefined) await checkpointer.deleteThread(key);
  const stored = new Set<string>();
  let head: string | undefined;
  let at = 0;
  let count = 0;
  for await (const saved of checkpoints) {
    at = Date.parse(saved.checkpoint.ts);
    key ??= await createThread(archive, { owner, id, at, workflow });
    await importCheckpoint(key, saved, tables, { checkpointer, stored });
    if (saved.ns === '') head = saved.id;
    count++;
  }
  if (key === undefined || head === undefined)
    throw new ImportError('it has no checkpoint of the root graph');
  const found = await archive.checkpoints.find(key, head);
  const stoppedAt = (found?.next ?? []).map((agent) => ({ agent, when: 'before' as const, path: [] }));
  if (!(await threads.moveHead(key, { head, stoppedAt, workflow, at })))
    throw new ImportError('it is in use');
  return count;
}

async function createThread(
  archive: Archive,
  { owner, id, at, workflow }: { owner: string; id: string; at: number; workflow: string },
): Promise<string> {
  await archive.threads.create(owner, { threadId: id, metadata: { graph_id: workflow }, createdAt: at });
  const thread = await archive.threads.find(owner, id);
  if (!thread) throw new Error('A thread that was just created does not exist');
  return thread.key;
}

async function importCheckpoint(
  key: string,
  { thread, ns, id, parent, checkpoint, metadata }: SavedCheckpoint,
  tables: SaverTables,
  { checkpointer, stored }: Pick<State, 'checkpointer'> & { stored: Set<string> },
): Promise<void> {
  const versions = Object.entries(checkpoint.channel_versions ?? {}).filter(
    ([channel, version]) => !stored.has(`${ns}\n${channel}\n${version}`),
  );
  const named = versions.map(([channel, version]): [string, string] => [channel, String(version)]);
  // Some savers store short values in the checkpoint itself.
  const values = { ...checkpoint.channel_values, ...(await tables.values({ thread, ns }, named)) };
  for (const [channel, version] of versions) stored.add(`${ns}\n${channel}\n${version}`);
  const location = { thread_id: key, checkpoint_ns: ns };
  await checkpointer.put(
    { configurable: { ...location, ...(parent !== null && { checkpoint_id: parent }) } },
    { ...checkpoint, versions_seen: checkpoint.versions_seen ?? {}, id, channel_values: values },
    metadata,
    Object.fromEntries(versions),
  );
  const writes = await tables.writes({ thread, ns, id });
  for (const [task, ofTask] of Map.groupBy(writes, ([task]) => task)) {
    // Interrupts and errors of a task have fixed negative indexes, so they must not shift the indexes of its results.
    const parts = Object.groupBy(ofTask, ([, channel]) =>
      channel in WRITES_IDX_MAP ? 'special' : 'ordinary',
    );
    for (const part of [parts.special, parts.ordinary])
      if (part)
        await checkpointer.putWrites(
          { configurable: { ...location, checkpoint_id: id } },
          part.map(([, channel, value]) => [channel, value]),
          task,
        );
  }
}

/** Groups consecutive checkpoints by thread as streams, without holding them in memory. */
async function* threadsOf(all: AsyncIterable<SavedCheckpoint>): AsyncGenerator<SavedThread> {
  const iterator = all[Symbol.asyncIterator]();
  let next = await iterator.next();
  while (!next.done) {
    const { thread: id } = next.value;
    async function* own(): AsyncGenerator<SavedCheckpoint> {
      while (!next.done && next.value.thread === id) {
        const checkpoint = next.value;
        next = await iterator.next();
        yield checkpoint;
      }
    }
    const skip = async () => {
      for await (const _ of own());
    };
    yield { id, checkpoints: own(), skip };
  }
}
