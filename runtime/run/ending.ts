/** A run's end: its last entries, its result or its error, and the thread's new head, written in one transaction. */
import type { Logger } from 'pino';
import type { RunSaver } from '../../state/checkpoints.ts';
import { errorBody, isUnavailable, type SkeinError } from '../../state/errors.ts';
import type { NewEntry } from '../../state/events.ts';
import { isLeaseLost, type Lease } from '../../state/lease.ts';
import type { UsageSum } from '../../state/model-usage.ts';
import { type RunEnd, waits } from '../../state/runs.ts';
import type { Interrupt } from '../../state/threads.ts';
import type { RunLog } from '../journal/run-log.ts';
import type { Metrics } from '../metrics.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Executed } from './execution/execution.ts';

export interface EndingParts {
  run: RunEnd['run'];
  journal: RunLog;
  meter: { usage: UsageSum };
  turns: Pick<RunQueue, 'end'>;
  /** Other processes go on with what this one cannot end. */
  shared: boolean;
  metrics: Metrics;
  log: Logger;
}

/** What the run holds at its end. */
interface EndOf {
  lease: Lease;
  /** It is running, so a waiting run can take its place. */
  running: boolean;
  /** As it was before the run. */
  thread?: RunEnd['before'];
  saver?: RunSaver;
}

export interface RunEnding {
  /** The run starts now: its duration is counted from here. */
  begin(): void;
  /** Rejects if the end can't be written; then no part of it is. */
  succeed(executed: Executed, of: EndOf): Promise<void>;
  /**
   * `written` is called once the end is written, which may be after this resolves if the store fails; `of` is called at
   * each try, since a waiting run's turn may come in the meantime. `rollback`: a run that was cancelled leaves nothing at
   * all. Throws LeaseLost, and where others can go on with a run that runs, STATE_UNAVAILABLE.
   */
  fail(
    error: SkeinError,
    of: () => EndOf,
    options: { written: () => void; rollback: boolean },
  ): Promise<void>;
  /** The service stops: an end that could not be written isn't retried. */
  giveUp(): void;
}

const INSIST_MS = 500;
const END: NewEntry = { kind: 'end', body: {} };

/** What is known about a thread before a run has begun on it. */
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

  /** Retries until the end is written. False if the service stops first: then the run continues at the next start. */
  async function insist(again: () => Promise<void>, of: () => EndOf): Promise<boolean> {
    let lost: EndOf | undefined;
    while (!givenUp) {
      await Bun.sleep(INSIST_MS);
      const held = of();
      // A waiting run's turn may have come: then it holds another lease. Otherwise another process has it and ends it.
      if (lost === held) return true;
      try {
        await again();
        return true;
      } catch (error) {
        // Already reported when it first failed.
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
      const status = waits(result) ? 'interrupted' : 'succeeded';
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
          "a run's end cannot be written, its thread waits for it",
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

/** What LangGraph's clients are told: the class and the message of what a node threw, as its own servers do. */
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
