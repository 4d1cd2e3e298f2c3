/** What a run hands down to its agents through LangGraph's config. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { RunEvent } from '../state/state.ts';
import type { Opened } from './opened.ts';
import type { TokenMeter } from './tools/model/call.ts';

export interface RunContext {
  /** Adds to the run's event log. */
  emit(event: RunEvent): void;
  attempts: Attempts;
  /** Aborts with the reason why the run must stop. */
  signal: AbortSignal;
  meter: TokenMeter;
  /** The W3C trace of the request that asked for the run. */
  traceparent?: string | undefined;
  /** What the workflow made of the prompt; without a `read` of its own the prompt. */
  input: unknown;
  /** Used in place of the configured revision, where it exists. */
  promptRevision?: string | undefined;
  opened: Opened;
  /** Notes which model answered: a fallback may differ from the configured one. */
  usedModel(model: string): void;
}

/** How often an agent has begun anew. */
export interface Attempts {
  /** The number with which it starts: above 1 where the service was cut off in the middle of its work. */
  first(agent: string): number;
  /** The number with which it started last. */
  current(agent: string): number;
}

const KEY = 'run';

export function withRun(configurable: Record<string, unknown>, run: RunContext): Record<string, unknown> {
  return { ...configurable, [KEY]: run };
}

/** Throws where a graph is invoked by somebody else than the runtime. */
export function runOf(config: RunnableConfig): RunContext {
  const run = config.configurable?.[KEY] as RunContext | undefined;
  if (!run) throw new Error(`config.configurable.${KEY} is missing: agents run through the runtime`);
  return run;
}
