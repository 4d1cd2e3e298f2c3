/** The events of a thread over all its runs, past and new, derived from the runs' logs. */
import { SkeinError } from '../../../state/errors.ts';
import type { LogEntry } from '../../../state/threads/events.ts';
import type { Services } from '../../services.ts';
import type { ThreadEvent, UnnumberedEvent } from './event.ts';
import { runEvents } from './run-events.ts';

type Parts = Pick<Services, 'runtime' | 'archive' | 'states'>;

export interface ThreadScope {
  owner: string;
  threadId: string;
  signal: AbortSignal;
}

// The number of sequence numbers per log entry. If an entry has more events, the next ones get higher numbers.
const SEQ_PER_ENTRY = 1_024;

/** Yields all events in order, and `[]` whenever there are no more for now. */
export async function* threadEvents(parts: Parts, scope: ThreadScope): AsyncGenerator<ThreadEvent[]> {
  const { owner, threadId, signal } = scope;
  const views = new Map<string, (entry: LogEntry) => Promise<UnnumberedEvent[]>>();
  const pending = new Map<string, UnnumberedEvent>();
  let last = 0;

  function numbered(events: UnnumberedEvent[], seq: number, at: number): ThreadEvent[] {
    return events.map((event, offset) => {
      last = Math.max(last + 1, seq * SEQ_PER_ENTRY + offset);
      return { ...event, seq: last, at };
    });
  }

  for await (const batches of parts.runtime.followThread(owner, threadId, signal)) {
    const events: ThreadEvent[] = [];
    for (const { runId, seq, entries } of batches) {
      // The protocol has no event for state changes that aren't part of a run.
      if (runId === null) continue;
      const view = views.get(runId) ?? (await viewOf(parts, scope, { runId, pending }));
      views.set(runId, view);
      for (const [offset, entry] of entries.entries()) {
        events.push(...numbered(await view(entry), seq + offset, entry.at));
        if (entry.kind === 'end') views.delete(runId);
      }
    }
    yield events;
  }
}

/** A deleted run has no events. */
async function viewOf(
  { runtime, archive, states }: Parts,
  { owner, threadId }: ThreadScope,
  { runId, pending }: { runId: string; pending: Map<string, UnnumberedEvent> },
): Promise<(entry: LogEntry) => Promise<UnnumberedEvent[]>> {
  const run = await runtime.run(owner, runId).catch(ignore('RUN_NOT_FOUND'));
  if (!run) return async () => [];
  return runEvents({
    ...{ run, pending },
    async valuesAt(checkpointId) {
      const thread = await archive.threads.find(owner, threadId);
      return thread && states.values(thread, checkpointId).catch(ignore('CHECKPOINT_NOT_FOUND'));
    },
    async isInterrupted() {
      return (await runtime.run(owner, runId).catch(ignore('RUN_NOT_FOUND')))?.status === 'interrupted';
    },
    async pendingIds() {
      const { interrupt } = (await archive.threads.find(owner, threadId)) ?? {};
      return interrupt?.interrupts.map(({ interruptId }) => interruptId) ?? [];
    },
  });
}

function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof SkeinError && error.code === code)) throw error;
    return undefined;
  };
}
