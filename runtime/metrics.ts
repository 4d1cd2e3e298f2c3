/** The metrics of runs, in Prometheus' format. */

import type { RunStatus } from '../state/threads/runs.ts';
import type { UsageSum } from '../state/usage/model-usage.ts';
import { Counter, Gauge, Histogram, Registry } from './prometheus.ts';
import { type Readings, type ServiceMetrics, serviceMetrics } from './service-metrics.ts';

export interface Metrics extends ServiceMetrics {
  runEnded(workflow: string, status: RunStatus, seconds: number, usage: UsageSum): void;
  /** Counts the usage of model calls outside of runs. */
  tokensUsed(workflow: string, usage: UsageSum): void;
  /** The body and content type of `GET /metrics`. */
  text(
    counts: { running: number; waiting: number },
    readings: Readings,
  ): Promise<{ body: string; type: string }>;
}

// From a rule-based answer to the longest run that the default deadline allows.
const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const runs = new Counter({
    name: 'skein_runs_total',
    help: 'Ended runs',
    labelNames: ['workflow', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'skein_run_seconds',
    help: 'Time from a run to its end, without waiting for its turn',
    labelNames: ['workflow'],
    buckets: SECONDS,
    registers,
  });
  const tokens = new Counter({
    name: 'skein_tokens_total',
    help: 'Tokens of model calls',
    labelNames: ['workflow', 'direction'],
    registers,
  });
  const cost = new Counter({
    name: 'skein_cost_total',
    help: 'Cost of model calls, in the currency of the prices',
    labelNames: ['workflow', 'model'],
    registers,
  });
  const current = new Gauge({ name: 'skein_runs', help: 'Runs now', labelNames: ['state'], registers });
  const memory = new Gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory', registers });
  const { read, ...service } = serviceMetrics(registers);

  function tokensUsed(workflow: string, { inputTokens, outputTokens, models }: UsageSum): void {
    tokens.inc({ workflow, direction: 'input' }, inputTokens);
    tokens.inc({ workflow, direction: 'output' }, outputTokens);
    for (const [model, used] of models) if (used.cost !== undefined) cost.inc({ workflow, model }, used.cost);
  }

  return {
    ...service,
    tokensUsed,
    runEnded(workflow, status, took, usage) {
      runs.inc({ workflow, status });
      seconds.observe({ workflow }, took);
      tokensUsed(workflow, usage);
    },
    async text({ running, waiting }, readings) {
      read(readings);
      current.set({ state: 'running' }, running);
      current.set({ state: 'waiting' }, waiting);
      memory.set(process.memoryUsage.rss());
      return { body: await registry.metrics(), type: registry.contentType };
    },
  };
}
