/** Continues runs that another process left: queued runs from the beginning, started runs from their last checkpoint. */
import type { Logger } from 'pino';
import { LeaseLost } from '../../state/cluster/lease.ts';
import { SkeinError } from '../../state/errors.ts';
import type { State } from '../../state/state.ts';
import type { Claim } from '../../state/threads/coordination.ts';
import { earlierEvents } from '../journal/earlier-events.ts';
import { knownUsage } from '../journal/reported-usage.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { RunnableWorkflow } from '../workflows/registered.ts';
import type { Registry } from '../workflows/registry.ts';
import type { ActiveRun, Start } from './active-run.ts';

export interface RecoveryParts {
  state: State;
  registry: Registry;
  turns: RunQueue;
  start(started: Start): ActiveRun;
  log: Logger;
}

/** Returns the function that continues a claimed run of another process. It throws LeaseLost. */
export function takeover({ state, registry, start, log }: Omit<RecoveryParts, 'turns'>) {
  return async (claim: Claim): Promise<void> => {
    const { runId } = claim.lease;
    const run = await state.runs.find(claim.thread.owner, runId);
    if (!run) throw new Error('a claimed run does not exist');
    log.info({ run_id: runId, workflow: run.workflow }, 'run taken over from another process');
    const earlier = await earlierEvents(state.events, runId);
    // An execution that starts now would not be stopped when another one begins.
    if (!state.coordination.isHeld(claim.lease)) throw new LeaseLost(claim.lease);
    start({
      run: { ...run, usage: knownUsage(run.usage, earlier.progress.reported) },
      threadKey: run.threadKey,
      turn: claim,
      lease: claim.lease,
      workflow: workflowOf(run.workflow, registry),
      earlier,
    });
  };
}

/** Queues the unfinished runs of an earlier process and returns their number. */
export async function recoverRuns({ state, registry, turns, start, log }: RecoveryParts): Promise<number> {
  // With a shared state, the unfinished runs of a stopped server are claimed by any server when their leases expire.
  const unfinished = state.shared ? [] : await state.runs.unfinished();
  for (const run of unfinished) {
    const { runId, threadKey, workflow: name } = run;
    const workflow = workflowOf(name, registry);
    const refusal = workflow instanceof SkeinError ? workflow.code : undefined;
    log.info({ run_id: runId, workflow: name, refusal }, 'run left by an earlier process');
    const earlier = await earlierEvents(state.events, runId);
    const lease = { runId, number: run.lease };
    start({
      run: { ...run, usage: knownUsage(run.usage, earlier.progress.reported) },
      threadKey,
      turn: turns.enqueue(lease, run.notBefore),
      lease,
      workflow,
      earlier,
    });
  }
  turns.claim(true);
  return unfinished.length;
}

function workflowOf(name: string, registry: Registry): RunnableWorkflow | SkeinError {
  if (registry.find(name)?.graph) return registry.runnable(name);
  return new SkeinError('WORKFLOW_CHANGED', { detail: `The workflow '${name}' no longer exists` });
}
