/** Executes a claimed run: checks that it can run, decides from which checkpoint it starts, and invokes its graph. */
import { taskCauses } from '../../../graphs/adoption/task-causes.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { State } from '../../../state/state.ts';
import type { Claim } from '../../../state/threads/coordination.ts';
import type { TokenMeter } from '../../../tools/models/usage/meter.ts';
import type { RunLog } from '../../journal/run-log.ts';
import type { RunnableWorkflow } from '../../workflows/registered.ts';
import { type AcceptedRun, checkpointMetadata } from '../accepted-run.ts';
import type { Held } from '../held.ts';
import type { RunObservers } from '../observation/run-observers.ts';
import type { RunTracing } from '../observation/run-tracing.ts';
import {
  answersInterrupt,
  continuesRun,
  outputsBefore,
  refuseWrongInterrupt,
  withoutInterrupt,
} from '../open-interrupt.ts';
import type { StoreOf } from '../store/run-store.ts';
import { execute } from './execute.ts';
import type { Executed, ExecuteParts } from './execution.ts';

interface ClaimedRun {
  run: AcceptedRun;
  threadKey: string;
  claim: Claim;
  /** The workflow, or the error if it can no longer run. */
  workflow: RunnableWorkflow | SkeinError;
  journal: RunLog;
  observers: RunObservers;
  trace: RunTracing | undefined;
  meter: TokenMeter;
  signal: AbortSignal;
  /** Takes the run's thread and saver as soon as they are known. */
  hold(part: Pick<Held, 'thread' | 'saver'>): void;
}

export type ExecuteClaim = (claimed: ClaimedRun) => Promise<Executed>;

interface ClaimExecutionParts {
  state: State;
  storeOf: StoreOf;
  parts: ExecuteParts;
}

/** A run that crashed the process this many times fails with RUN_CRASHED instead of starting again. */
const MAX_DEATHS = 3;

export function claimExecution({ state, storeOf, parts }: ClaimExecutionParts): ExecuteClaim {
  return async (claimed) => {
    const { run, threadKey, claim, workflow, journal, trace, meter, signal, hold } = claimed;
    const { threadId, request } = run;
    const { lease, attempt, checkpoint } = claim;
    const { emit, called } = claimed.observers;
    if (workflow instanceof SkeinError) throw workflow;
    if (attempt.deaths.count >= MAX_DEATHS) throw new SkeinError('RUN_CRASHED');
    signal.throwIfAborted();
    const thread = request.supersedes
      ? await withoutInterrupt(state.threads, threadKey, lease)
      : claim.thread;
    hold({ thread });
    if (!request.protocol) refuseWrongInterrupt(thread, request.resume);
    const isTriedAgain = lease.number > 1 || thread.interrupt?.failedAnswer;
    if (answersInterrupt(request) && isTriedAgain && !checkpoint)
      await state.threads.rewindInterrupt(threadKey, lease);
    const head = checkpoint ?? request.checkpointId ?? thread.head;
    const metadata = checkpointMetadata(run);
    const saver = state.saverOf({ lease, threadKey, threadId, head, emit, metadata });
    hold({ saver });
    const resumes = checkpoint !== null || continuesRun(request);
    const { executions, record } = journal;
    const causesOf = taskCauses(saver, { resumes });
    const reports = { emit, causesOf, onEnd: called, working: new Map(), reported: new Set() };
    const traced = trace?.context() ?? { traceparent: request.traceparent };
    const context = { ...reports, executions, record, signal, meter, ...traced };
    return execute(parts, {
      ...{ run, thread, saver, workflow, context, journal },
      store: storeOf(thread.owner, workflow.adopted?.storeIndex),
      checkpoint: checkpoint ?? undefined,
      before: await outputsBefore(state.runs, thread.owner, request),
    });
  };
}
