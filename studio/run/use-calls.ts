/** The model calls of a turn with their contents, and those that belong to no agent. */
import { isOver } from '../data/runs/run-ended.ts';
import type { ModelCall } from '../data/runs/run-view.ts';
import { type RunCall, readCalls } from '../data/runs/runs.ts';
import { useResource } from '../service/resources.ts';
import type { KnownRun } from './use-run.ts';

/** A call with its run, and its index in that run. */
export type CallOfRun = RunCall & { at: { run: string; index: number } };

export interface RecordedCalls {
  /** False if the calls of one of the turn's runs are no longer kept. */
  kept: boolean;
  calls: CallOfRun[];
}

/** Undefined until they are loaded. `count` is the number of calls so far; set it to load calls while the run is active. */
export function useCalls(
  { run, parts }: Pick<KnownRun, 'run' | 'parts'>,
  count?: number,
): RecordedCalls | undefined {
  const ids = parts.map((part) => part.run.run_id);
  const over = run !== undefined && isOver(run);
  const at = over ? 'over' : count;
  const key = at === undefined || ids.length === 0 ? undefined : `calls:${ids}:${at}`;
  return useResource(key, () => callsOf(ids)).data;
}

async function callsOf(runs: string[]): Promise<RecordedCalls> {
  const all = await Promise.all(runs.map(readCalls));
  const calls = all.flatMap(({ calls }, at) =>
    calls.map((call, index) => ({ ...call, at: { run: runs[at] ?? '', index } })),
  );
  return { kept: all.every(({ kept }) => kept), calls };
}

/** The calls for summaries and follow-up questions, for which the service reports less. */
export function conversationCalls(recorded: RecordedCalls | undefined): ModelCall[] {
  const own = recorded?.calls.filter(({ agent }) => agent === null) ?? [];
  return own.map(({ model, task, started_at, duration_ms, usage, error_code, error_detail }) => ({
    ...{ model, task, started_at, duration_ms, first_token_ms: null, attempt: 1 },
    ...usage,
    ...(error_code !== undefined && { error_code }),
    ...(error_detail !== undefined && { error_detail }),
  }));
}
