/** Invokes a graph with the run's saver, store, deadline and limits. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { Command } from '@langchain/langgraph';
import { withPersistence } from '../../../graphs/authoring/persistence/lend-persistence.ts';
import { type RunContext, withRun } from '../../../graphs/authoring/run/run-context.ts';
import { ownStops, type Stops, stoppable, withInnerStops } from '../../../graphs/authoring/run/stops.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { Resume, RunRequest } from '../../../state/threads/runs.ts';
import type { Execution } from './execution.ts';

export interface Invocation {
  begin: unknown;
  context: RunContext;
  recursionLimit: number;
  /** Callbacks that observe the graph; default: none. */
  config?: Partial<RunnableConfig>;
}

/** The result of a graph that ended or was interrupted. */
export interface EndedGraph {
  /** Its output. */
  values: unknown;
  /** The questions that it asks a person. */
  interrupts: { id?: string; value: unknown }[];
  /** It stopped before or after a node, as the run requested. */
  stopped: boolean;
}

/** A copy of the graph with the run's saver and store, which also stops at the requested nodes of its subgraphs. */
export function withRunPersistence(graph: CompiledGraph, { run, saver, store }: Execution): CompiledGraph {
  return withPersistence(withInnerStops(graph, stopsOf(run.request, graph)), { checkpointer: saver, store });
}

/** The nodes at which the run stops; a single step stops before any node. */
export function stopsOf(
  { interruptBefore, interruptAfter, resume }: RunRequest,
  graph: CompiledGraph,
): Stops {
  return resume?.step ? { interruptBefore: stoppable(graph) } : { interruptBefore, interruptAfter };
}

/** Throws the error that stopped the graph: a SkeinError if the cause is known. */
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

/** The input of a run that answers an interrupt or continues after a stop; null if it only continues. */
export function resumeCommand({ values, goto, update }: Resume): unknown {
  const answers = Object.keys(values).length > 0;
  if (!answers && !goto && !update) return null;
  // By interrupt id: LangGraph ignores a bare value that is false, 0 or null.
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
  const { [INTERRUPT]: interruptValues, ...values } = given;
  const interrupts = interruptValues as EndedGraph['interrupts'];
  return { values, interrupts, stopped: interrupts.length === 0 };
}
