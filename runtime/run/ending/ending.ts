/** Stores a run's end in one transaction: its last log entries, its result or error, and the thread's new head. */
import type { Logger } from 'pino';
import type { RunSaver } from '../../../state/checkpoints/checkpoints.ts';
import { isLeaseLost, type Lease } from '../../../state/cluster/lease.ts';
import { errorBody, isUnavailable, type SkeinError } from '../../../state/errors.ts';
import type { NewEntry } from '../../../state/threads/events.ts';
import { isInterrupted, type RunEnd } from '../../../state/threads/runs.ts';
import type { Interrupt } from '../../../state/threads/threads.ts';
import type { UsageSum } from '../../../state/usage/model-usage.ts';
import type { RunLog } from '../../journal/run-log.ts';
import type { Metrics } from '../../metrics.ts';
import type { RunQueue } from '../../queue/run-queue.ts';
import type { Executed } from '../execution/execution.ts';

export interface EndingParts {
  run: RunEnd['run'];
  journal: RunLog;
  meter: { usage: UsageSum };
  turns: Pick<RunQueue, 'end'>;
  /** Several processes share the state, so another one can continue a run that this one cannot end. */
  shared: boolean;
  metrics: Metrics;
  log: Logger;
}

/** What the run holds when it ends. */
interface EndOf {
  lease: Lease;
  /** It executes and has a slot, which a queued run can take. */
  running: boolean;
  /** The thread before the run. */
  thread?: RunEnd['before'];
  saver?: RunSaver;
}

export interface RunEnding {
  /** Starts measuring the run's duration. */
  begin(): void;
  /** Rejects if the end can't be stored; then no part of it is. */
  succeed(executed: Executed, of: EndOf): Promise<void>;
  /**
   * Calls `written` when the end is stored; if the state is unavailable, that can be after this resolves. `of` is called
   * for each attempt, since a queued run may be claimed in the meantime. `rollback`: a cancelled run leaves no trace.
   * Throws LeaseLost, and STATE_UNAVAILABLE if another process can continue the run.
   */
  fail(
    error: SkeinError,
    of: () => EndOf,
    options: { written: () => void; rollback: boolean },
  ): Promise<void>;
  /** Stops retrying to store an end, because the service stops. */
  giveUp(): void;
}

const INSIST_MS = 500;
const END: NewEntry = { kind: 'end', body: {} };

/** The `before` of a run that ends before it executes, when the thread has not been read. */
const NOTHING_BEFORE: RunEnd['before'] = {
  head: null,
  interrupt: null,
  memory: { messages: 0, tokens: 0, summary: '' },
  messageCount: 0,
  keepsAll: false,
};

export function runEnding({ run, journal, meter, turns, shared, metrics, log }: EndingParts): RunEnding {
  let began = Date.now();
  let givenUp = false;

  async function write(outcome: RunEnd['outcome'], of: EndOf, last: NewEntry[]): Promise<void> {
    const { lease, running, thread = NOTHING_BEFORE, saver } = of;
    const end: RunEnd = {
      run,
      started: running,
      before: thread,
      checkpoint: saver?.newest(),
      finishedAt: Date.now(),
      usage: meter.usage,
      agents: journal.agents(),
      events: journal.ending([...last, END]),
      outcome,
    };
    await turns.end(lease, end, running);
    journal.close();
    metrics.runEnded(run.workflow, outcome.status, (Date.now() - began) / 1000, meter.usage);
  }

  /** Retries until the end is stored. Returns false if the service stops first: the run then continues at the next start. */
  async function insist(again: () => Promise<void>, of: () => EndOf): Promise<boolean> {
    let lost: EndOf | undefined;
    while (!givenUp) {
      await Bun.sleep(INSIST_MS);
      const held = of();
      // The lease was lost. If the queued run was claimed here meanwhile, it holds another lease, so try again with that.
      // Otherwise another process has the run and ends it.
      if (lost === held) return true;
      try {
        await again();
        return true;
      } catch (error) {
        // Other errors are not logged again: the first failure was.
        if (isLeaseLost(error)) lost = held;
      }
    }
    return false;
  }

  return {
    begin() {
      began = Date.now();
    },
    async succeed({ result, memory }, of) {
      of.saver?.assertWritten();
      const status = isInterrupted(result) ? 'interrupted' : 'succeeded';
      await write({ status, result, memory }, of, [...result.interrupts.map(interruptEntry), RESPONSE]);
    },
    async fail(error, of, { written, rollback }) {
      const body = errorBody(error, run.request.requestId);
      const outcome =
        error.code === 'RUN_CANCELLED'
          ? { status: 'cancelled' as const, error: body, partial: journal.text(), rollback }
          : { status: 'failed' as const, error: body };
      const tells = run.request.protocol && error.code !== 'RUN_CANCELLED';
      const last: NewEntry[] = tells ? [{ kind: 'thrown', body: thrownBy(error) }] : [];
      const again = () => write(outcome, of(), [...last, { kind: 'error', body }]);
      try {
        await again();
        written();
      } catch (cause) {
        if (isLeaseLost(cause) || (shared && of().running && isUnavailable(cause))) throw cause;
        log.error(
          { err: cause, run_id: run.runId },
          'the end of a run cannot be stored, will retry; its thread is blocked until then',
        );
        void insist(again, of).then((done) => done && written());
      }
    },
    giveUp() {
      givenUp = true;
    },
  };
}

const RESPONSE: NewEntry = { kind: 'response', body: null };

/** The error as LangGraph's servers report it: the class and message of the error that a node threw. */
function thrownBy(error: SkeinError): { error: string; message: string } {
  const { code, message, detail, cause } = error;
  if (code === 'INTERNAL_ERROR' && cause instanceof Error)
    return { error: classOf(cause), message: cause.message };
  return { error: code, message: detail ?? message };
}

function classOf(error: Error): string {
  return error.name === 'Error' ? error.constructor.name : error.name;
}

function interruptEntry({ interruptId, value }: Interrupt): NewEntry {
  return { kind: 'interrupt', body: { interrupt_id: interruptId, value } };
}
