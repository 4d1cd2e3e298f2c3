/** A run's end: its last entries, its result or its error, and the thread's new head, written in one transaction. */
import type { Logger } from 'pino';
import { errorBody, type SkeinError } from '../../state/errors.ts';
import type { NewEntry } from '../../state/events.ts';
import type { RunEnd, Usage } from '../../state/runs.ts';
import type { State } from '../../state/state.ts';
import type { RunLog } from '../journal/run-log.ts';
import type { Metrics } from '../metrics.ts';
import type { Executed } from './execute.ts';

export interface EndingParts {
  run: RunEnd['run'];
  journal: RunLog;
  meter: { usage: Usage };
  state: State;
  metrics: Metrics;
  log: Logger;
}

export interface RunEnding {
  /** The run starts now: from here its time is counted. */
  begin(): void;
  /** Rejects where the end cannot be written; then nothing of it is. */
  succeed(executed: Executed, before: RunEnd['before']): Promise<void>;
  /** `written` is called once the end is written, which may be later than this resolves where the store fails. */
  fail(error: SkeinError, before: RunEnd['before'], written: () => void): Promise<void>;
  /** The service stops: an end that could not be written is not tried again. */
  giveUp(): void;
}

const INSIST_MS = 500;
const END: NewEntry = { kind: 'end', body: {} };

export function runEnding({ run, journal, meter, state, metrics, log }: EndingParts): RunEnding {
  let began = Date.now();
  let givenUp = false;

  async function write(outcome: RunEnd['outcome'], before: RunEnd['before'], last: NewEntry[]) {
    await state.runs.end({
      run,
      before,
      finishedAt: Date.now(),
      usage: meter.usage,
      agents: journal.agents(),
      events: journal.ending([...last, END]),
      outcome,
    });
    journal.close();
    metrics.runEnded(run.workflow, outcome.status, (Date.now() - began) / 1000, meter.usage);
  }

  /** Until it is written, or the service stops: then the run goes on at the next start. */
  async function insist(again: () => Promise<void>): Promise<void> {
    while (!givenUp) {
      await Bun.sleep(INSIST_MS);
      try {
        await again();
        return;
      } catch {
        // Said when it failed first.
      }
    }
  }

  return {
    begin() {
      began = Date.now();
    },
    async succeed({ result, memory }, before) {
      const status = result.interrupt ? 'interrupted' : 'succeeded';
      await write({ status, result, memory }, before, [...interruptOf(result.interrupt), RESPONSE]);
    },
    async fail(error, before, written) {
      const body = errorBody(error, run.request.requestId);
      const outcome =
        error.code === 'RUN_CANCELLED'
          ? { status: 'cancelled' as const, error: body, partial: journal.text() }
          : { status: 'failed' as const, error: body };
      const again = () => write(outcome, before, [{ kind: 'error', body }]);
      try {
        await again();
        written();
      } catch (cause) {
        log.error(
          { err: cause, run_id: run.runId },
          "a run's end cannot be written, its thread waits for it",
        );
        insist(again).then(written);
      }
    },
    giveUp() {
      givenUp = true;
    },
  };
}

const RESPONSE: NewEntry = { kind: 'response', body: null };

function interruptOf(interrupt: Executed['result']['interrupt']): NewEntry[] {
  if (!interrupt) return [];
  return [{ kind: 'interrupt', body: { interrupt_id: interrupt.interruptId, value: interrupt.value } }];
}
