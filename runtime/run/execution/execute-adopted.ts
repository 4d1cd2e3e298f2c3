/** Executes a turn with a graph that was not written for Skein: its input and output are passed on unchanged. */

import type { Callbacks } from '@langchain/core/callbacks/manager';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { finishedTasks } from '../../../graphs/adoption/finished-tasks.ts';
import { contextFor, promptInput } from '../../../graphs/adoption/graph-input.ts';
import { asJson } from '../../../graphs/adoption/message-json.ts';
import { followGraph } from '../../../graphs/adoption/stream/follow-graph.ts';
import { recordingEvents } from '../../../graphs/adoption/stream/record-events.ts';
import type { Opened } from '../../../graphs/authoring/run/opened.ts';
import { type RunContext, withRun } from '../../../graphs/authoring/run/run-context.ts';
import type { CompiledGraph } from '../../../graphs/authoring/workflow.ts';
import type { Output } from '../../../state/threads/conversation.ts';
import type { Adopted } from '../../workflows/registered.ts';
import type { Executed, ExecuteParts, Execution } from './execution.ts';
import { invokeGraph, resumeCommand, withRunPersistence } from './invoke.ts';
import { makeGraph } from './make-graph.ts';
import { UNKNOWN_SIZE } from './memory.ts';
import { commandOf, protocolConfig, recordFor } from './protocol-run.ts';
import { interruptsOf, stopsAt } from './waiting.ts';

type AdoptedExecution = Execution & { adopted: Adopted };

export async function executeAdopted(
  parts: ExecuteParts,
  execution: AdoptedExecution,
  opened: Opened,
): Promise<Executed> {
  const { run, thread, workflow, adopted, journal } = execution;
  const { request } = run;
  const { model: configured, temperature } = workflow.settings;
  let answeredBy = '';
  const context: RunContext = {
    ...execution.context,
    input: request.input ?? request.userPrompt,
    opened,
    sources: parts.sources,
    chat: (name = configured) => parts.models.chat(name),
    priceOf: parts.models.priceOf,
    temperature,
    usedModel: (name) => (answeredBy = name),
  };
  const own = { thread_id: thread.threadId, run_id: run.runId };
  const described = { configurable: { ...request.configurable, ...own }, context: request.context };
  // A graph factory may use the run's models and data sources, but its config must not show them.
  const make = () => makeGraph(adopted, described, context.signal);
  const made = adopted.isMade
    ? AsyncLocalStorageProviderSingleton.runWithConfig({ configurable: withRun({}, context) }, make)
    : make();
  const graph = withRunPersistence(await made, execution);
  acceptChecked(graph);
  const record = recordFor(execution);
  if (record) context.stream = record;
  const followed = followGraph(context, {
    graph,
    nodes: graph.nodes,
    finished: finishedTasks(execution.saver),
    tokens: record ? record.messages || record.events : !request.whole,
    record,
  });
  const graphContext = await contextFor(graph, request.context);
  const config = {
    ...protocolConfig(followed.config, execution, graph),
    ...(graphContext !== undefined && { context: graphContext }),
  };
  const recursionLimit = request.recursionLimit ?? parts.recursionLimit;
  const begin = beginning(execution, graph);
  const invoke = (callbacks: Callbacks) =>
    invokeGraph(graph, execution, { begin, context, recursionLimit, config: { ...config, callbacks } });
  const invoked = record?.events
    ? recordingEvents(context.emit, followed.handlers, invoke)
    : invoke(config.callbacks);
  const ended = await invoked.catch((error) => {
    throw followed.failed(error);
  });
  const outputs = [...execution.before, ...journal.outputs()];
  return {
    result: {
      agentResponse: answerOf(outputs, ended.values),
      outputs,
      followupQuestions: {},
      memorySummary: '',
      model: answeredBy,
      interrupts: interruptsOf(execution, ended),
      stoppedAt: ended.stopped ? await stopsAt(graph, execution, followed.lastStep) : [],
    },
    memory: UNKNOWN_SIZE,
    values: ended.values,
  };
}

/** The graph's input: null for a run that continues, a command for one that answers an interrupt, otherwise the input. */
function beginning(execution: AdoptedExecution, graph: CompiledGraph): unknown {
  const { run, workflow, adopted, checkpoint } = execution;
  const { resume, input, userPrompt, protocol } = run.request;
  if (checkpoint) return null;
  if (protocol) return protocol.command ? commandOf(protocol.command, execution, graph) : (input ?? null);
  if (resume) return resumeCommand(resume);
  if (input !== undefined) return input;
  return promptInput(workflow.graph, adopted.textInput, userPrompt);
}

/**
 * The context was checked when the turn was accepted. Without one, LangGraph would check `configurable` against
 * the context's schema instead.
 */
function acceptChecked(graph: CompiledGraph & { _validateContext?(value: unknown): Promise<unknown> }): void {
  graph._validateContext = async (value) => value;
}

/** The last text of a model in the turn; without one, the graph's output. */
function answerOf(outputs: Output[], values: unknown): string {
  const last = outputs.findLast(({ content }) => content !== '');
  if (last) return last.content;
  // A model that only called tools has an output without text; then the graph's output isn't shown either.
  if (outputs.some(({ data }) => data === null)) return '';
  if (typeof values === 'string') return values;
  return values === undefined || values === null ? '' : JSON.stringify(asJson(values));
}
