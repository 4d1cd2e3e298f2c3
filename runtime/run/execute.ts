/** One turn through its graph: from the thread's head, or from the run's own checkpoint after a crash. */
import type { BaseMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { DataSources } from '../../graphs/authoring/data-sources.ts';
import { withPersistence } from '../../graphs/authoring/lend-persistence.ts';
import { type Opened, openedInRun } from '../../graphs/authoring/opened.ts';
import type { RunContext } from '../../graphs/authoring/run-context.ts';
import { withRun } from '../../graphs/authoring/run-context.ts';
import { type ConversationState, type Output, textOf } from '../../state/conversation.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Run, TurnResult } from '../../state/runs.ts';
import type { MemorySize, Thread } from '../../state/threads.ts';
import type { ChatModel, Models } from '../../tools/models/models.ts';
import { responseText } from '../journal/run-progress.ts';
import type { RunnableWorkflow } from '../workflows/registry.ts';
import type { followupQuestions } from './followups.ts';
import { agentsIn, refuseChanged } from './left-checkpoint.ts';
import type { TurnMemory } from './memory.ts';

export interface ExecuteParts {
  models: Models;
  memory: TurnMemory;
  followups: ReturnType<typeof followupQuestions>;
  recursionLimit: number;
  sources: DataSources;
}

/** What is known of a run before its prompt is read. */
export type RunStart = Omit<
  RunContext,
  'input' | 'promptRevision' | 'opened' | 'sources' | 'chat' | 'temperature'
>;

export interface Execution {
  run: Pick<Run, 'runId' | 'request' | 'createdAt'>;
  thread: Thread;
  /** Gives the checkpoint that the run starts from as the newest, and takes the run's own. */
  saver: BaseCheckpointSaver;
  /** What the graph keeps beyond the thread. */
  store: BaseStore;
  workflow: RunnableWorkflow;
  context: RunStart;
  /** The run's own newest checkpoint, where an earlier process left one: it goes on from there. */
  checkpoint?: string | undefined;
  /** Is told of the agents whose work is there already, once for each time that they have finished. */
  left(agents: string[]): void;
}

export interface Executed {
  result: TurnResult;
  memory: MemorySize;
}

interface FinalState extends ConversationState {
  __interrupt__?: { id?: string; value: unknown }[];
}

/** Throws what stopped the turn: a SkeinError where the reason is known. */
export async function execute(parts: ExecuteParts, execution: Execution): Promise<Executed> {
  const { opened, close } = openedInRun();
  return executeWith(parts, execution, opened).finally(close);
}

async function executeWith(parts: ExecuteParts, execution: Execution, opened: Opened): Promise<Executed> {
  const { run, thread, saver, workflow, checkpoint } = execution;
  const model = parts.models.chat(workflow.settings.model);
  if (!model) throw new SkeinError('CONFIGURATION_ERROR');
  let answeredBy = model.name;
  const { userPrompt } = run.request;
  const { input = userPrompt, question = userPrompt, promptRevision } = workflow.read(userPrompt);
  const usedModel = (name: string) => (answeredBy = name);
  const { model: configured, temperature } = workflow.settings;
  const chat = (name = configured) => parts.models.chat(name);
  const asked = { input, promptRevision, opened, sources: parts.sources };
  const context: RunContext = { ...execution.context, ...asked, chat, temperature, usedModel };
  const goesOn = checkpoint !== undefined || run.request.resume !== undefined;
  const left = goesOn ? await saver.getTuple({ configurable: { thread_id: thread.threadId } }) : undefined;
  if (left) refuseChanged(left, workflow);
  execution.left(left ? agentsIn(left, run.createdAt) : []);
  const recursionLimit = run.request.recursionLimit ?? parts.recursionLimit;
  const begin = await beginning(parts, execution, { question, model, context });
  const state = await invoke(execution, { begin, context, recursionLimit });
  const outputs = state.outputs.toSorted((a, b) => a.finishedAt - b.finishedAt);
  const interrupted = state.__interrupt__?.[0];
  const agentResponse = answerOf(outputs, state.messages);
  const followups = interrupted
    ? {}
    : await suggest(parts, execution, { model, context, messages: state.messages });
  return {
    result: {
      agentResponse,
      outputs,
      followupQuestions: followups,
      memorySummary: state.summary,
      model: answeredBy,
      interrupt: interrupted
        ? { interruptId: interrupted.id ?? run.runId, value: asJson(interrupted.value) }
        : null,
    },
    memory: parts.memory.size(state.messages, state.summary),
  };
}

/** A run that goes on needs none, one that answers an interrupt brings the answer, any other its question. */
async function beginning(
  { memory }: ExecuteParts,
  { run, thread, saver, checkpoint }: Execution,
  { question, model, context }: { question: string; model: ChatModel; context: RunContext },
): Promise<unknown> {
  if (checkpoint) return null;
  const { resume } = run.request;
  // By the interrupt's id: a bare value that is false, 0 or null is taken for none.
  if (resume) return new Command({ resume: { [resume.interruptId]: resume.value } });
  return memory.input({ thread, saver }, question, model, context);
}

interface Invocation {
  begin: unknown;
  context: RunContext;
  recursionLimit: number;
}

async function invoke(
  { run, thread, saver, store, workflow }: Execution,
  { begin, context, recursionLimit }: Invocation,
): Promise<FinalState> {
  const config = {
    configurable: withRun({ thread_id: thread.threadId, run_id: run.runId }, context),
    recursionLimit,
    signal: context.signal,
    durability: 'sync' as const,
  };
  try {
    const graph = withPersistence(workflow.graph, { checkpointer: saver, store });
    return (await graph.invoke(begin, config)) as FinalState;
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

async function suggest(
  { followups }: ExecuteParts,
  { workflow }: Execution,
  asked: { model: ChatModel; context: RunContext; messages: BaseMessage[] },
): Promise<Record<string, string>> {
  return workflow.settings.followup_questions ? followups(asked) : {};
}

/** The agents' responses; of a graph without agents of ours the last message, if it is an answer. */
function answerOf(outputs: Output[], messages: BaseMessage[]): string {
  if (outputs.length > 0) return responseText(outputs);
  const last = messages.at(-1);
  return last?.getType() === 'ai' ? textOf(last) : '';
}

/** As it is stored and shown; what JSON has no form for is null. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}
