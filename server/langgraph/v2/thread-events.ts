/** A thread's events over all its runs: a view of their logs, past and coming. */
import { SkeinError } from '../../../state/errors.ts';
import type { LogEntry } from '../../../state/events.ts';
import type { Services } from '../../services.ts';
import type { ThreadEvent, Unnumbered } from './event.ts';
import { runEvents } from './run-events.ts';

type Parts = Pick<Services, 'runtime' | 'archive' | 'states'>;

export interface OfThread {
  owner: string;
  threadId: string;
  signal: AbortSignal;
}

// How many numbers there are from one entry of the log to the next. Where an entry has more events, those after it move up.
const NUMBERS = 1_024;

/** All events, in order; `[]` each time that there are no more for now. */
export async function* threadEvents(parts: Parts, of: OfThread): AsyncGenerator<ThreadEvent[]> {
  const { owner, threadId, signal } = of;
  const views = new Map<string, (entry: LogEntry) => Promise<Unnumbered[]>>();
  const asked = new Map<string, Unnumbered>();
  let last = 0;

  function numbered(events: Unnumbered[], seq: number, at: number): ThreadEvent[] {
    return events.map((event, offset) => {
      last = Math.max(last + 1, seq * NUMBERS + offset);
      return { ...event, seq: last, at };
    });
  }

  for await (const batches of parts.runtime.followThread(owner, threadId, signal)) {
    const events: ThreadEvent[] = [];
    for (const { runId, seq, entries } of batches) {
      // The protocol has no event for a change from outside of runs.
      if (runId === null) continue;
      const view = views.get(runId) ?? (await viewOf(parts, of, { runId, asked }));
      views.set(runId, view);
      for (const [offset, entry] of entries.entries()) {
        events.push(...numbered(await view(entry), seq + offset, entry.at));
        if (entry.kind === 'end') views.delete(runId);
      }
    }
    yield events;
  }
}

/** A run that was deleted shows nothing. */
async function viewOf(
  { runtime, archive, states }: Parts,
  { owner, threadId }: OfThread,
  { runId, asked }: { runId: string; asked: Map<string, Unnumbered> },
): Promise<(entry: LogEntry) => Promise<Unnumbered[]>> {
  const run = await runtime.run(owner, runId).catch(unless('RUN_NOT_FOUND'));
  if (!run) return async () => [];
  return runEvents({
    ...{ run, asked },
    async valuesAt(checkpointId) {
      const thread = await archive.threads.find(owner, threadId);
      return thread && states.values(thread, checkpointId).catch(unless('CHECKPOINT_NOT_FOUND'));
    },
    async waits() {
      return (await runtime.run(owner, runId).catch(unless('RUN_NOT_FOUND')))?.status === 'interrupted';
    },
    async waitsFor() {
      const { interrupt } = (await archive.threads.find(owner, threadId)) ?? {};
      return interrupt?.interrupts.map(({ interruptId }) => interruptId) ?? [];
    },
  });
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof SkeinError && error.code === code)) throw error;
    return undefined;
  };
}
