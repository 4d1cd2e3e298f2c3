/** Executes a turn with a workflow built with `workflow()`: with the thread's bounded memory and its agents' responses. */
import type { BaseMessage } from '@langchain/core/messages';
import { finishedTasks } from '../../../graphs/adoption/finished-tasks.ts';
import { type FollowedGraph, followGraph } from '../../../graphs/adoption/stream/follow-graph.ts';
import { followModels } from '../../../graphs/adoption/stream/model-calls.ts';
import type { Opened } from '../../../graphs/authoring/run/opened.ts';
import { ownNodes } from '../../../graphs/authoring/run/own-nodes.ts';
import type { RunContext } from '../../../graphs/authoring/run/run-context.ts';
import { SkeinError } from '../../../state/errors.ts';
import { type ConversationState, type Output, textOf } from '../../../state/threads/conversation.ts';
import type { ChatModel } from '../../../tools/models/models.ts';
import { responseText } from '../../journal/run-progress.ts';
import type { Executed, ExecuteParts, Execution } from './execution.ts';
import { invokeGraph, resumeCommand, stopsOf, withRunPersistence } from './invoke.ts';
import { commandOf, messagesIn, protocolConfig, recordFor } from './protocol-run.ts';
import { interruptsOf, stopsAt } from './waiting.ts';

export async function executeWritten(
  parts: ExecuteParts,
  execution: Execution,
  opened: Opened,
): Promise<Executed> {
  const { run, workflow } = execution;
  const model = parts.models.chat(workflow.settings.model);
  if (!model) throw new SkeinError('CONFIGURATION_ERROR');
  let answeredBy = model.name;
  const { userPrompt } = run.request;
  const { input = userPrompt, question = userPrompt, promptRevision } = workflow.read(userPrompt);
  const usedModel = (name: string) => (answeredBy = name);
  const { model: configured, temperature } = workflow.settings;
  const chat = (name = configured) => parts.models.chat(name);
  const values = { input, promptRevision, opened, sources: parts.sources, priceOf: parts.models.priceOf };
  const context: RunContext = {
    ...{ ...execution.context, ...values, chat, temperature, usedModel },
    stops: stopsOf(run.request, workflow.graph),
    callbacks: (by) => followModels(context, { tokens: !run.request.whole, by }).quiet.handlers,
  };
  const begin = await beginning(parts, execution, { question, model, context });
  const graph = withRunPersistence(workflow.graph, execution);
  const recursionLimit = run.request.recursionLimit ?? parts.recursionLimit;
  const followed = followedNodes(context, execution);
  const config = followed && protocolConfig(followed.config, execution, graph);
  const invoked = invokeGraph(graph, execution, {
    begin,
    context,
    recursionLimit,
    ...(config && { config }),
  });
  const ended = await invoked.catch((error) => {
    throw followed ? followed.failed(error) : error;
  });
  const state = ended.values as ConversationState;
  const outputs = state.outputs.toSorted((a, b) => a.finishedAt - b.finishedAt);
  const interrupts = interruptsOf(execution, ended);
  const stoppedAt = ended.stopped ? await stopsAt(graph, execution, () => []) : [];
  const waits = interrupts.length > 0 || ended.stopped;
  const followupQuestions = waits
    ? {}
    : await suggest(parts, execution, { model, context, messages: state.messages });
  return {
    result: {
      agentResponse: answerOf(outputs, state.messages),
      outputs,
      followupQuestions,
      memorySummary: state.summary,
      model: answeredBy,
      interrupts,
      stoppedAt,
    },
    memory: parts.memory.size(state.messages, state.summary),
    values: run.request.protocol ? state : null,
  };
}

/** Undefined for a graph whose nodes are all agents: following it would make a turn with one agent a tenth slower. */
function followedNodes(context: RunContext, execution: Execution): FollowedGraph | undefined {
  const { saver, workflow } = execution;
  const own = ownNodes(workflow.graph);
  const record = recordFor(execution);
  if (record) context.stream = record;
  if (!record && Object.keys(workflow.graph.nodes).every((name) => own.has(name))) return undefined;
  // A workflow's outputs are in its state, and `chatModel()` reports its own tokens.
  return followGraph(context, {
    ...{
      graph: workflow.graph,
      nodes: {},
      own,
      finished: finishedTasks(saver),
      tokens: false,
      texts: false,
      record,
    },
  });
}

/** The graph's input: null for a run that continues, a command for one that answers an interrupt, otherwise the question. */
async function beginning(
  { memory }: ExecuteParts,
  execution: Execution,
  { question, model, context }: { question: string; model: ChatModel; context: RunContext },
): Promise<unknown> {
  const { run, thread, saver, checkpoint } = execution;
  if (checkpoint) return null;
  const { resume, protocol, input } = run.request;
  if (resume) return resumeCommand(resume);
  if (protocol?.command) return commandOf(protocol.command, execution, execution.workflow.graph);
  if (protocol && (input ?? null) === null) return null;
  const questionMessages = protocol ? messagesIn(input) : conversationIn(execution, question);
  return memory.input({ thread, saver }, { question, messages: questionMessages }, model, context);
}

/** The conversation that the caller sent. Its last user message is replaced with the question that the workflow read. */
function conversationIn({ run }: Execution, question: string): BaseMessage[] {
  const { conversation = [], userPrompt } = run.request;
  const asks = conversation.findLastIndex(({ role }) => role === 'user');
  const messages = conversation.map((message, index) =>
    index === asks && question !== userPrompt ? { ...message, content: question } : message,
  );
  return messages.length === 0 ? [] : messagesIn({ messages });
}

async function suggest(
  { followups }: ExecuteParts,
  { workflow }: Execution,
  conversation: { model: ChatModel; context: RunContext; messages: BaseMessage[] },
): Promise<Record<string, string>> {
  return workflow.settings.followup_questions ? followups(conversation) : {};
}

/** The agents' responses; for a graph without `agent()`, the last message if a model wrote it. */
function answerOf(outputs: Output[], messages: BaseMessage[]): string {
  if (outputs.length > 0) return responseText(outputs);
  const last = messages.at(-1);
  return last?.getType() === 'ai' ? textOf(last) : '';
}
