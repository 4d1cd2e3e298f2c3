/** Reports a run's tools, model calls and tasks as spans. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { EndedCall } from '../../../tools/models/call/call.ts';
import type { ModelRequest } from '../../../tools/telemetry/chat-span.ts';

export interface RunSpans {
  /** Runs `work` in the span of the config's tool or task. */
  within<T>(config: RunnableConfig, work: () => T): T;
  /** `id`: LangChain's id of the call. */
  toolStarted(id: string, tool: TracedTool): void;
  toolEnded(id: string, end: { output?: unknown; error?: string }): void;
  /** A call of a model that the service doesn't call itself. */
  callStarted(id: string, call: ModelRequest): void;
  callEnded(id: string, call: EndedCall): void;
}

interface TracedTool {
  tool: string;
  input: string;
  toolCallId: string | undefined;
}
