/** Runs: their list, one, its model calls, and its end. */
import type { RunBody } from '../../server/run-shape.ts';
import { api, ask } from '../service.ts';
import { given } from './threads.ts';

export type RunStatus = RunBody['status'];

export interface RunFilter {
  status?: RunStatus | undefined;
  workflow?: string | undefined;
}

export const listRuns = (filter: RunFilter, cursor?: string) =>
  ask(api.runs.get({ query: { ...given(filter), limit: '50', ...given({ cursor }) } }));

export type Run = RunBody;

export const readRun = (run: string): Promise<Run> =>
  ask(api.runs({ run_id: encodeURIComponent(run) }).get());

/** Resolves once the run has settled. */
export const cancelRun = (run: string) => ask(api.runs({ run_id: encodeURIComponent(run) }).cancel.post());

/** The newest runs of a workflow, at most 100. */
export async function newestRuns(workflow: string): Promise<Run[]> {
  return (await ask(api.runs.get({ query: { workflow, limit: '100' } }))).runs;
}

export const isOver = ({ status }: { status: RunStatus }) => status !== 'queued' && status !== 'running';
