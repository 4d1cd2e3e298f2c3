/** Statistics of runs: counts, failures, durations and usage. */
import { addedCosts } from '../../state/costs.ts';
import type { ModelCallEntry } from '../../state/threads/run-trace.ts';
import type { Run } from '../../state/threads/runs.ts';

type MeasuredRun = Pick<Run, 'status' | 'createdAt' | 'startedAt' | 'finishedAt' | 'usage' | 'agents'>;

interface Sums {
  runs: number;
  failed: number;
  cancelled: number;
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the prices; undefined if no model has a price. */
  cost: number | undefined;
}

/** In milliseconds. */
interface Percentiles {
  p50: number;
  p95: number;
}

export interface Figures extends Sums {
  /** From the start to the end of successful runs; null if there are none. */
  duration: Percentiles | null;
  /** From the start of a run to the first text of its answer; null if no text was streamed. */
  firstToken: Percentiles | null;
}

export interface FigureSums {
  add(run: MeasuredRun): void;
  figures(): Figures;
}

export function figureSums(): FigureSums {
  const sums: Sums = { runs: 0, failed: 0, cancelled: 0, inputTokens: 0, outputTokens: 0, cost: undefined };
  const durations: number[] = [];
  const firstTokens: number[] = [];
  return {
    add(run) {
      const { status, startedAt, finishedAt, usage } = run;
      sums.runs++;
      if (status === 'failed') sums.failed++;
      if (status === 'cancelled') sums.cancelled++;
      sums.inputTokens += usage.inputTokens;
      sums.outputTokens += usage.outputTokens;
      if (usage.cost !== undefined) sums.cost = addedCosts(sums.cost, usage.cost);
      if (status === 'succeeded' && startedAt !== null && finishedAt !== null)
        durations.push(finishedAt - startedAt);
      const first = firstTokenOf(run);
      if (first !== undefined) firstTokens.push(first);
    },
    figures: () => ({ ...sums, duration: percentiles(durations), firstToken: percentiles(firstTokens) }),
  };
}

/** The tasks of calls whose text can be the answer. The text of structured output isn't shown. */
const SPEAKING = new Set(['answer', 'chat']);

/** Milliseconds from the run's start to the first text of an answer. */
function firstTokenOf({ startedAt, agents }: MeasuredRun): number | undefined {
  if (startedAt === null) return undefined;
  const times = agents.flatMap(({ calls }) => calls.map(firstTokenAt)).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - startedAt);
}

function firstTokenAt({ task, started_at, first_token_ms }: ModelCallEntry): number | undefined {
  if (first_token_ms === null || !SPEAKING.has(task)) return undefined;
  return Date.parse(started_at) + first_token_ms;
}

function percentiles(values: readonly number[]): Percentiles | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}
