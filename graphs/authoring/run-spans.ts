/** How a run tells of its tools, its model calls and what it works on as spans. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { EndedCall } from '../../tools/models/call.ts';
import type { AskedModel } from '../../tools/telemetry/chat-span.ts';

export interface RunSpans {
  /** Calls `work` within the span of the tool or the task that the config belongs to. */
  within<T>(config: RunnableConfig, work: () => T): T;
  /** `id`: LangChain's of the call. */
  toolStarted(id: string, tool: TracedTool): void;
  toolEnded(id: string, end: { output?: unknown; error?: string }): void;
  /** A call of a model that is not the service's own. */
  callStarted(id: string, call: AskedModel): void;
  callEnded(id: string, call: EndedCall): void;
}

export interface TracedTool {
  tool: string;
  input: string;
  toolCallId: string | undefined;
}
