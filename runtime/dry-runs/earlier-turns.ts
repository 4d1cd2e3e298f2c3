/** Finds a caller's earlier turns with some workflows, and the checkpoints where they started. */
import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph-checkpoint';
import type { Archive, RunFilter, StoredCheckpoint } from '../../state/threads/archive.ts';
import type { Run, Runs, TurnResult } from '../../state/threads/runs.ts';

export interface EarlierTurn {
  run: Run & { result: TurnResult };
  /** Null if it was the thread's first turn. */
  start: CheckpointTuple | null;
}

export interface EarlierTurnsParts {
  archive: Pick<Archive, 'runs' | 'checkpoints'>;
  runs: Pick<Runs, 'find'>;
  checkpointer: BaseCheckpointSaver;
}

interface EarlierTurnsQuery {
  owner: string;
  workflows: string[];
  /** Only turns that rendered this file. */
  filename?: string | undefined;
  most: number;
}

export type EarlierTurns = (query: EarlierTurnsQuery) => Promise<EarlierTurn[]>;

// Limits of the search, because turns whose starting checkpoint was deleted are skipped: runs and pages per workflow, and
// checkpoints per thread.
const MAX_RUNS = 100;
const MAX_PAGES = 20;
const MAX_CHECKPOINTS = 1_000;

/** Returns turns newest first, without those whose starting checkpoint was deleted by retention. */
export function earlierTurns({ archive, runs, checkpointer }: EarlierTurnsParts): EarlierTurns {
  return async ({ owner, workflows, filename, most }) => {
    const inputs = inputsByThread(archive);
    const prompt = filename === undefined ? undefined : { filename };
    const lists = workflows.map((workflow) =>
      runsOf(archive, { owner, workflow, status: 'succeeded', prompt }),
    );
    const turns: EarlierTurn[] = [];
    for await (const run of newestOf(lists)) {
      const start = await startOf(run, await inputs(run.threadKey));
      if (start !== undefined && run.result) turns.push({ run: { ...run, result: run.result }, start });
      if (turns.length === most) break;
    }
    return turns;
  };

  async function startOf(run: Run, inputs: StoredCheckpoint[]): Promise<CheckpointTuple | null | undefined> {
    const { runId } = await firstOf(run);
    const input = inputs.find((checkpoint) => checkpoint.runId === runId);
    if (!input) return undefined;
    if (input.parentId === null) return null;
    const configurable = { thread_id: run.threadKey, checkpoint_ns: '', checkpoint_id: input.parentId };
    return checkpointer.getTuple({ configurable });
  }

  /** The first run of a turn: a run that answers an interrupt continues the turn of the run that raised it. */
  async function firstOf(run: Run): Promise<Run> {
    const { resume } = run.request;
    const interrupted = resume && (await runs.find(run.owner, resume.runId));
    return interrupted ? firstOf(interrupted) : run;
  }
}

/** Newest first, read page by page on demand: a page may contain few runs or none that match. */
async function* runsOf(archive: Pick<Archive, 'runs'>, filter: RunFilter): AsyncGenerator<Run> {
  let after: [string] | undefined;
  for (let remaining = MAX_RUNS, page = 0; remaining > 0 && page < MAX_PAGES; page++) {
    const { items, next } = await archive.runs(filter, { limit: remaining, after });
    yield* items;
    if (!next) return;
    remaining -= items.length;
    after = [String(next[0])];
  }
}

/** Merges several lists of `runsOf` into one, newest first. */
async function* newestOf(lists: AsyncGenerator<Run>[]): AsyncGenerator<Run> {
  const heads = await Promise.all(lists.map(async (rest) => ({ rest, next: await rest.next() })));
  for (;;) {
    const [newest] = heads
      .filter(({ next }) => !next.done)
      .toSorted((a, b) => (a.next.value.runId < b.next.value.runId ? 1 : -1));
    if (!newest) return;
    yield newest.next.value;
    newest.next = await newest.rest.next();
  }
}

/** Returns the function that reads the input checkpoints of a thread, once per thread. */
function inputsByThread({ checkpoints }: Pick<Archive, 'checkpoints'>) {
  const threads = new Map<string, Promise<StoredCheckpoint[]>>();

  async function read(key: string): Promise<StoredCheckpoint[]> {
    const found: StoredCheckpoint[] = [];
    let after: [string] | undefined;
    for (let looked = 0; looked < MAX_CHECKPOINTS; looked += 100) {
      const { items, next } = await checkpoints.list(key, { limit: 100, after });
      found.push(...items.filter(({ source }) => source === 'input'));
      if (!next) break;
      after = [String(next[0])];
    }
    return found;
  }

  return (key: string) => {
    const reading = threads.get(key) ?? read(key);
    threads.set(key, reading);
    return reading;
  };
}
