/** Runs: their list, one, its model calls, and its end. */
import type { RunBody } from '../../server/runs/shape.ts';
import { api, ask } from '../service.ts';
import { given } from './threads.ts';

export type RunStatus = RunBody['status'];

export const STATUSES: RunStatus[] = [
  ...(['queued', 'running', 'succeeded', 'failed', 'interrupted', 'cancelled'] as const),
];

/** As the query of the service has it. */
export type RunFilter = Omit<
  NonNullable<NonNullable<Parameters<typeof api.runs.get>[0]>['query']>,
  'limit' | 'cursor' | 'owner'
>;

export const listRuns = (filter: RunFilter, cursor?: string, limit = 50) =>
  ask(api.runs.get({ query: { ...given(filter), limit: String(limit), ...given({ cursor }) } }));

export type Run = RunBody;

export const readRun = (run: string): Promise<Run> =>
  ask(api.runs({ run_id: encodeURIComponent(run) }).get());

/** Its question in a line. */
export const askedOf = ({ title }: Pick<Run, 'title'>) => title || 'Continues from a checkpoint';

/** What went into its model calls and came out, where it is kept. */
export const readCalls = (run: string) => ask(api.runs({ run_id: encodeURIComponent(run) }).calls.get());

/** In the JSON of OTLP. */
export const readTrace = (run: string) => ask(api.runs({ run_id: encodeURIComponent(run) }).trace.get());

export type RunCall = Awaited<ReturnType<typeof readCalls>>['calls'][number];

/** Every checkpoint that it made, newest first, those inside of its agents too. */
export async function readRunCheckpoints({ run_id, thread_id }: Run) {
  const at = api.threads({ thread_id: encodeURIComponent(thread_id) });
  return (await ask(at.checkpoints.get({ query: { run_id, limit: '100' } }))).checkpoints;
}

/** Resolves once the run has settled. */
export const cancelRun = (run: string) => ask(api.runs({ run_id: encodeURIComponent(run) }).cancel.post());

/** The newest runs of a workflow, at most 100. */
export async function newestRuns(workflow: string): Promise<Run[]> {
  return (await ask(api.runs.get({ query: { workflow, limit: '100' } }))).runs;
}
