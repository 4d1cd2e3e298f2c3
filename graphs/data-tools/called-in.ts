/** Finds the run that a tool is called in. */
import type { ToolRunnableConfig } from '@langchain/core/tools';
import { runAround } from '../authoring/chat-model/within-run.ts';
import type { DataSources } from '../authoring/run/data-sources.ts';
import type { RunContext } from '../authoring/run/run-context.ts';

export interface CalledIn {
  run: RunContext;
  sources: DataSources;
  /** Aborts with the run or with the call. */
  signal: AbortSignal;
  /** The id of the model's tool call; undefined if the tool was called with arguments alone. */
  toolCallId: string | undefined;
}

/** `config` is what LangChain passes to a tool; `what` is the tool's name in the error outside of a run. */
export function calledIn(config: ToolRunnableConfig | undefined, what: string): CalledIn {
  const { run } = runAround(config, what);
  const signals = [run.signal, ...(config?.signal ? [config.signal] : [])];
  return { run, sources: run.sources, signal: AbortSignal.any(signals), toolCallId: config?.toolCall?.id };
}
