/** Runs: list, read, model calls, trace, checkpoints and cancel. */
import type { RunBody } from '../../../server/runs/shape.ts';
import { api, ask } from '../../service/service.ts';
import { omitEmpty } from '../threads/threads.ts';

export type RunStatus = RunBody['status'];

export const STATUS_LABELS: Record<RunStatus, string> = {
  queued: 'Queued',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  interrupted: 'Waiting',
  cancelled: 'Cancelled',
};

/** The query parameters of the service. */
export type RunFilter = Omit<
  NonNullable<NonNullable<Parameters<typeof api.runs.get>[0]>['query']>,
  'limit' | 'cursor' | 'owner'
>;

export const listRuns = (filter: RunFilter, cursor?: string, limit = 50) =>
  ask(api.runs.get({ query: { ...omitEmpty(filter), limit: String(limit), ...omitEmpty({ cursor }) } }));

export type Run = RunBody;

export const readRun = (run: string): Promise<Run> =>
  ask(api.runs({ run_id: encodeURIComponent(run) }).get());

/** The run's question in one line. */
export const runTitle = ({ title }: Pick<Run, 'title'>) => title || 'Continued from a checkpoint';

/** The requests and responses of the run's model calls, if they are still kept. */
export const readCalls = (run: string) => ask(api.runs({ run_id: encodeURIComponent(run) }).calls.get());

/** The run's trace as OTLP JSON. */
export const readTrace = (run: string) => ask(api.runs({ run_id: encodeURIComponent(run) }).trace.get());

export type RunCall = Awaited<ReturnType<typeof readCalls>>['calls'][number];

/** All checkpoints of the run, including those inside its agents, newest first. */
export async function readRunCheckpoints({ run_id, thread_id }: Run) {
  const at = api.threads({ thread_id: encodeURIComponent(thread_id) });
  return (await ask(at.checkpoints.get({ query: { run_id, limit: '100' } }))).checkpoints;
}

/** Resolves when the run has ended. */
export const cancelRun = (run: string) => ask(api.runs({ run_id: encodeURIComponent(run) }).cancel.post());

/** The latest runs of a workflow, at most 100. */
export async function newestRuns(workflow: string): Promise<Run[]> {
  return (await ask(api.runs.get({ query: { workflow, limit: '100' } }))).runs;
}
