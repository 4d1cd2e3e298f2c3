/** The parts of executing a run that apply only to runs of LangGraph's protocol. */
import { type BaseMessage, coerceMessageLikeToMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { Command } from '@langchain/langgraph';
import { type StreamRecord, streamRecord } from '../../../graphs/adoption/stream/stream-record.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { RunCommand } from '../../../state/threads/runs.ts';
import type { PendingInterrupt } from '../../../state/threads/threads.ts';
import type { Execution } from './execution.ts';
import { graphCommand } from './graph-command.ts';

/** Records the stream modes that the run requested; undefined for a run of the chat API. */
export function recordFor({ run, context }: Execution): StreamRecord | undefined {
  const { protocol } = run.request;
  if (!protocol) return undefined;
  const { streamModes: modes, streamSubgraphs: subgraphs } = protocol;
  return streamRecord({ modes, subgraphs, emit: context.emit });
}

/**
 * `config` with the run's tags and metadata, and with the requested checkpoint unless the run continues from its own.
 * `outputKeys` makes the stream's values the whole state, as LangGraph's servers do, instead of only the output.
 */
export function protocolConfig<Config extends RunnableConfig>(
  config: Config,
  { run, thread, workflow, checkpoint }: Execution,
  graph: CompiledGraph,
): Config {
  const { protocol } = run.request;
  if (!protocol) return config;
  const { assistantId, tags, metadata } = protocol;
  const own = { graph_id: workflow.name, assistant_id: assistantId };
  const from = checkpoint || protocol.checkpoint?.id === thread.head ? undefined : protocol.checkpoint;
  return {
    ...config,
    ...(tags && { tags }),
    metadata: { ...metadata, ...own, run_id: run.runId, thread_id: thread.threadId },
    outputKeys: (graph as { streamChannelsAsIs?: unknown }).streamChannelsAsIs,
    configurable: {
      ...config.configurable,
      ...own,
      ...(from && {
        checkpoint_id: from.id,
        checkpoint_ns: from.ns ?? '',
        ...(from.map && { checkpoint_map: from.map }),
      }),
    },
  };
}

/**
 * Throws CHECKPOINT_NOT_FOUND if the requested checkpoint no longer exists: it did when the run was accepted, but a run
 * that was rolled back in the meantime removed its checkpoints.
 */
export async function refuseGoneCheckpoint({ run, saver, checkpoint }: Execution): Promise<void> {
  const from = run.request.protocol?.checkpoint;
  if (!from || checkpoint) return;
  const config = { configurable: { checkpoint_id: from.id, checkpoint_ns: from.ns ?? '' } };
  if (!(await saver.getTuple(config))) throw new SkeinError('CHECKPOINT_NOT_FOUND');
}

/** The run's command, whose `resume` answers the thread's open interrupt. */
export function commandOf(
  { resume, ...command }: RunCommand,
  { thread }: Execution,
  graph: CompiledGraph,
): Command | null {
  const answer = resume !== undefined && { resume: answerTo(thread.interrupt, resume) };
  return graphCommand({ ...command, ...answer }, graph);
}

/** By interrupt id if there is only one: LangGraph ignores a bare value that is false, 0 or null. */
function answerTo(pending: PendingInterrupt | null, resume: unknown): unknown {
  const ids = pending?.interrupts.map(({ interruptId }) => interruptId) ?? [];
  const [only] = ids;
  const isMap =
    typeof resume === 'object' && resume !== null && Object.keys(resume).some((id) => ids.includes(id));
  return only === undefined || ids.length > 1 || isMap ? resume : { [only]: resume };
}

/** The messages of an input for a workflow built with `workflow()`. Throws INVALID_WORKFLOW_INPUT. */
export function messagesIn(input: unknown): BaseMessage[] {
  const { messages } = (typeof input === 'object' ? input : null) as { messages?: unknown };
  try {
    const list = Array.isArray(messages) ? messages : [messages];
    return list.map((one) => {
      const message = coerceMessageLikeToMessage(one);
      message.id ??= Bun.randomUUIDv7();
      return message;
    });
  } catch {
    throw new SkeinError('INVALID_WORKFLOW_INPUT', { detail: 'input: expected messages' });
  }
}
