/** Passes on what a run does while it executes: to its log, the metrics, its trace, the recorded model calls and the service log. */
import type { Logger } from 'pino';
import type { Caller } from '../../../graphs/authoring/run/run-context.ts';
import type { NewEntry } from '../../../state/threads/events.ts';
import type { RunUsage, Usage } from '../../../state/threads/runs.ts';
import type { EndedCall } from '../../../tools/models/call/call.ts';
import type { RecordedCalls } from '../../journal/recorded-calls.ts';
import type { RunLog } from '../../journal/run-log.ts';
import { workFinished } from '../../journal/run-progress.ts';
import type { Metrics } from '../../metrics.ts';
import type { AcceptedRun } from '../accepted-run.ts';
import type { LoopWatch } from './loop-watch.ts';
import type { RunMeasures } from './run-measures.ts';
import type { RunTracing } from './run-tracing.ts';

export interface RunObservers {
  /** Takes each new entry of the run's log. */
  emit(entry: NewEntry): void;
  /** Takes each model call that has ended, and the agent that made it. */
  called(call: EndedCall, by?: Caller): void;
}

export interface ObservedRun {
  run: AcceptedRun;
  threadKey: string;
  journal: RunLog;
  loop: LoopWatch;
  measures: RunMeasures;
  metrics: Metrics;
  trace: RunTracing | undefined;
  recordedCalls: RecordedCalls;
  log: Logger;
  /** The run's usage so far. */
  usage: Readonly<RunUsage>;
  /** Stores the usage while the run executes. */
  storeUsage(usage: RunUsage): Promise<void>;
}

export function runObservers(observed: ObservedRun): RunObservers {
  const { run, threadKey, journal, loop, measures, metrics, trace, recordedCalls, log, usage } = observed;
  const recorder = recordedCalls.open(run.runId, threadKey);
  return {
    emit(entry) {
      loop.note(run, entry);
      measures.note(entry);
      trace?.note(entry);
      journal.emit(entry);
      // After a crash, usage is computed from the events. They lack the calls that belong to no agent, such as a summary,
      // so that usage is written separately. If this write fails, the run's end or another attempt stores the usage.
      if (workFinished(entry) && !same(usage, journal.reported)) observed.storeUsage(usage).catch(() => {});
    },
    called(call, by) {
      metrics.modelCalled(call);
      recorder.add(call, by);
      // The run may go on without the answer.
      if (call.errorCode === 'MODEL_CALL_FAILED')
        log.warn({ run_id: run.runId, task: call.task, reason: call.errorDetail }, 'a model call failed');
    },
  };
}

function same(a: Usage, b: Usage): boolean {
  return a.inputTokens === b.inputTokens && a.outputTokens === b.outputTokens;
}
