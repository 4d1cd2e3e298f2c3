/** The heat map: time, tokens or failures of each node over the latest runs. */
import { nodeOf, workAt } from '../data/runs/node-id.ts';
import type { Run } from '../data/runs/runs.ts';
import { durationText } from '../parts/formats/time.tsx';
import type { ShownGraph } from './shown-graph.ts';

export type Measure = 'time' | 'tokens' | 'failures';

export const MEASURES: { value: Measure; label: string }[] = [
  { value: 'time', label: 'Duration' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'failures', label: 'Failures' },
];

export interface Heat {
  /** From 0 to 1, relative to the hottest node. */
  share: number;
  text: string;
}

interface Sum {
  runs: number;
  time: number;
  tokens: number;
  failures: number;
}

/** The heat by node. Time and tokens are means over the runs with this node; failures are the share of failed runs. */
export function heatOf({ nodes }: ShownGraph, runs: Run[], measure: Measure): Map<string, Heat> {
  const values = nodes.flatMap(({ id, kind }): [string, number, Sum][] => {
    if (kind === 'start' || kind === 'end') return [];
    const sum = sumOf(runs, id);
    return sum.runs === 0 ? [] : [[id, sum[measure] / sum.runs, sum]];
  });
  const most = measure === 'failures' ? 1 : Math.max(0, ...values.map(([, value]) => value));
  return new Map(
    values.map(([id, value, sum]) => [
      id,
      { share: most === 0 ? 0 : value / most, text: textOf(value, sum, measure) },
    ]),
  );
}

function sumOf(runs: Run[], node: string): Sum {
  const sum: Sum = { runs: 0, time: 0, tokens: 0, failures: 0 };
  for (const { agents } of runs) {
    const { executions, step } = workAt(agents, node);
    const own = <Part extends { step?: string }>(parts: Part[]) =>
      parts.filter((one) => step === undefined || one.step === step);
    const parts = step === undefined ? executions : executions.flatMap(({ steps }) => own(steps));
    if (parts.length === 0) continue;
    sum.runs++;
    for (const { duration_ms } of parts) sum.time += duration_ms ?? 0;
    const inside = agents.filter((one) => step === undefined && nodeOf(one).startsWith(`${node}:`));
    const calls = [...executions, ...inside].flatMap((one) => own(one.calls));
    for (const { input_tokens, output_tokens } of calls) sum.tokens += input_tokens + output_tokens;
    if (parts.some(({ state }) => state === 'failed')) sum.failures++;
  }
  return sum;
}

function textOf(value: number, { runs }: Sum, measure: Measure): string {
  const counted = runs === 1 ? '1 run' : `${runs} runs`;
  if (measure === 'time') return `${durationText(value)}, ${counted}`;
  if (measure === 'tokens') return `${Math.round(value).toLocaleString()} tok, ${counted}`;
  return `${Math.round(value * 100)}% of ${counted}`;
}
