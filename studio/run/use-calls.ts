/** The model calls of a turn with their contents, as far as they are kept; and those that no agent made. */
import { isOver } from '../data/run-ended.ts';
import type { ModelCall } from '../data/run-view.ts';
import { type RunCall, readCalls } from '../data/runs.ts';
import { useResource } from '../resources.ts';
import type { KnownRun } from './use-run.ts';

/** With its run, and its number in it. */
export type CallOfRun = RunCall & { at: { run: string; index: number } };

export interface KeptCalls {
  /** False where those of one of the turn's runs are not kept any more. */
  kept: boolean;
  calls: CallOfRun[];
}

/** Undefined until they are read. `heard`: how many calls there are by now, where somebody looks while they are made. */
export function useCalls(
  { run, parts }: Pick<KnownRun, 'run' | 'parts'>,
  heard?: number,
): KeptCalls | undefined {
  const ids = parts.map((part) => part.run.run_id);
  const over = run !== undefined && isOver(run);
  const at = over ? 'over' : heard;
  const key = at === undefined || ids.length === 0 ? undefined : `calls:${ids}:${at}`;
  return useResource(key, () => callsOf(ids)).data;
}

async function callsOf(runs: string[]): Promise<KeptCalls> {
  const all = await Promise.all(runs.map(readCalls));
  const calls = all.flatMap(({ calls }, at) =>
    calls.map((call, index) => ({ ...call, at: { run: runs[at] ?? '', index } })),
  );
  return { kept: all.every(({ kept }) => kept), calls };
}

/** Of summaries and follow-up questions the service tells less. */
export function conversationCalls(kept: KeptCalls | undefined): ModelCall[] {
  const own = kept?.calls.filter(({ agent }) => agent === null) ?? [];
  return own.map(({ model, task, started_at, duration_ms, usage, error_code, error_detail }) => ({
    ...{ model, task, started_at, duration_ms, first_token_ms: null, attempt: 1 },
    ...usage,
    ...(error_code !== undefined && { error_code }),
    ...(error_detail !== undefined && { error_detail }),
  }));
}
