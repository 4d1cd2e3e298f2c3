/** Invokes a graph for a run: with the run's saver, store, deadline and limits. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { Command } from '@langchain/langgraph';
import { withPersistence } from '../../../graphs/authoring/lend-persistence.ts';
import { type RunContext, withRun } from '../../../graphs/authoring/run-context.ts';
import { ownStops, type Stops, stoppable, withInnerStops } from '../../../graphs/authoring/stops.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Resume, RunRequest } from '../../../state/runs.ts';
import type { Execution } from './execution.ts';

export interface Invocation {
  begin: unknown;
  context: RunContext;
  recursionLimit: number;
  /** What follows the graph; default: nothing. */
  config?: Partial<RunnableConfig>;
}

/** What a graph returned when it ended or stopped to wait. */
export interface EndedGraph {
  /** Its output. */
  values: unknown;
  /** What it asks a person. */
  interrupts: { id?: string; value: unknown }[];
  /** It stopped before or after a node, as it was asked to. */
  stopped: boolean;
}

/** A copy of the graph that reads and writes for this run, and stops in the graphs inside where the run is to. */
export function withRunPersistence(graph: CompiledGraph, { run, saver, store }: Execution): CompiledGraph {
  return withPersistence(withInnerStops(graph, stopsOf(run.request, graph)), { checkpointer: saver, store });
}

/** A step ends at the next node, whichever that is. */
export function stopsOf(
  { interruptBefore, interruptAfter, resume }: RunRequest,
  graph: CompiledGraph,
): Stops {
  return resume?.step ? { interruptBefore: stoppable(graph) } : { interruptBefore, interruptAfter };
}

/** Throws what stopped it: a SkeinError if the reason is known. */
export async function invokeGraph(
  graph: CompiledGraph,
  { run, thread }: Execution,
  { begin, context, recursionLimit, config = {} }: Invocation,
): Promise<EndedGraph> {
  const { request, runId } = run;
  const own = { thread_id: thread.threadId, run_id: runId };
  const configurable = { ...request.configurable, ...config.configurable, ...own };
  const invoked = {
    ...config,
    configurable: withRun(configurable, context),
    recursionLimit,
    signal: context.signal,
    durability: 'sync' as const,
    ...ownStops(graph, stopsOf(request, graph)),
  };
  try {
    return endedGraph(await graph.invoke(begin, invoked));
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    if (error instanceof Error && error.name === 'GraphRecursionError') {
      throw new SkeinError('INTERNAL_ERROR', {
        message: `The workflow did not end within ${recursionLimit} steps`,
        cause: error,
      });
    }
    throw error;
  }
}

/** What a run begins with that answers an interrupt or continues after a stop. */
export function resumeCommand({ values, goto, update }: Resume): unknown {
  const answers = Object.keys(values).length > 0;
  if (!answers && !goto && !update) return null;
  // By interrupt id: LangGraph would ignore a bare value that is false, 0 or null.
  return new Command({
    ...(answers && { resume: values }),
    ...(goto && { goto }),
    ...(update && { update }),
  });
}

const INTERRUPT = '__interrupt__';

function endedGraph(given: unknown): EndedGraph {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (!isObject || !(INTERRUPT in given)) return { values: given, interrupts: [], stopped: false };
  const { [INTERRUPT]: asked, ...values } = given;
  const interrupts = asked as EndedGraph['interrupts'];
  return { values, interrupts, stopped: interrupts.length === 0 };
}
