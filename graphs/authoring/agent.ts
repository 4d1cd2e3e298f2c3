/** Agents: the nodes of a workflow's graph, each a function of the state and of what it may use in this run. */
import type { BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { Static, TSchema } from '@sinclair/typebox';
import type { Prompts, WantedPrompt } from '../../prompts/prompts.ts';
import type { ConversationState, Output } from '../../state/conversation.ts';
import { configurationError } from '../../state/errors.ts';
import type { Place } from '../../state/events.ts';
import type { CallContext } from '../../tools/models/call.ts';
import type { ChatModel } from '../../tools/models/models.ts';
import type { Extraction } from '../../tools/models/structured.ts';
import { setApart, withBlocks, withPointers } from '../../tools/text/block.ts';
import { type AnswerOptions, answered } from './agent-answer.ts';
import { type AgentRecord, agentRecord, heardAs, reportedAgent, workingAs } from './agent-record.ts';
import { conversationMessages } from './conversation-messages.ts';
import type { Opened } from './opened.ts';
import { reportingItself } from './own-nodes.ts';
import { type RunContext, runOf, taskOf, workOf } from './run-context.ts';

/** An agent's work: reads the state, uses its tools, gives its response. It never changes the state in place. */
export type Agent<State extends ConversationState = ConversationState> = (
  state: State,
  tools: AgentTools,
) => Promise<AgentResult<State>>;

export interface AgentResult<State extends ConversationState = ConversationState> {
  /** The agent's response, as people read it. */
  content: string;
  /** Its structured result, JSON; default null. */
  data?: unknown;
  /** Updates of the state's channels. */
  update?: Partial<State>;
}

/** What an agent may use, bound to the run and to the agent. */
export interface AgentTools {
  /**
   * Answers the conversation under a system prompt; the text is streamed. Gives what an agent returns: the text is
   * remembered. `task` tells the built-in offline model which of its rules fit.
   */
  answer(system: string, messages?: BaseMessage[], task?: string): Promise<AgentResult>;
  /**
   * The same; the model may call `tools` before it answers. Their errors are results that it is told, and its calls are
   * not remembered. Throws MODEL_CALL_FAILED where it still calls tools in the last step.
   */
  answer(system: string, options: AnswerOptions): Promise<AgentResult>;
  /** Asks for a value of a shape; nothing is streamed. */
  extract<T extends TSchema>(
    shape: Extraction<T>,
    system: string,
    messages?: BaseMessage[],
  ): Promise<Static<T>>;
  /**
   * Renders the agent's own prompt file, `<workflow>.<agent>.jinja`, or the step's, `<workflow>.<agent>.<step>.jinja`; where
   * there is none the workflow's `<workflow>.<fallback>.jinja`.
   * A variable that holds a data block renders as a reference to it; the blocks follow the text, and are sent in a user message.
   */
  prompt(variables?: Record<string, unknown>, fallback?: string): Promise<string>;
  /** What the workflow's `read` made of the prompt; without one the prompt. */
  input: unknown;
  /** Something that the run's agents share and that ends with the run: what is open under `key`, or what `open` makes. */
  opened: Opened;
  /** Says what the agent is doing, for people who watch the run. */
  status(text: string): void;
  /** Aborts when the run is cancelled or passes its deadline: hand it on to whatever can stop. */
  signal: AbortSignal;
}

/** Makes a graph's node of an agent. */
export type AgentNode = <State extends ConversationState>(
  name: string,
  run: Agent<State>,
) => (state: State, config: LangGraphRunnableConfig) => Promise<Partial<State>>;

/** What every agent of a workflow works with. */
export interface AgentEnvironment {
  workflow: string;
  /** The model the workflow is configured to use; undefined when it names none that exists. */
  model: ChatModel | undefined;
  temperature: number | undefined;
  prompts: Prompts;
  /** Whose prompt files are used where the run names none that exists; default: the shipped ones. */
  promptRevision?: string;
}

/** Agents report to the run that LangGraph hands down in the node's config. */
export function agentNode(environment: AgentEnvironment): AgentNode {
  return (name, work) =>
    reportingItself(async (state, config) => {
      const run = runOf(config);
      const task = taskOf(config);
      return reportedAgent({ agent: name, run, task }, async (whole) => {
        const record = agentRecord(run, whole, { agent: name, step: null });
        const own = { file: `${environment.workflow}.${name}.jinja` };
        const tools = agentTools({ record, own, run, place: task.place, config }, state, environment);
        const { content, data, update } = await workingAs(record, config, () => work(state, tools));
        const output: Output = { agent: name, content, data: data ?? null, finishedAt: Date.now() };
        return { ...update, outputs: [output] } as Partial<typeof state>;
      });
    });
}

export interface AgentWorking {
  record: AgentRecord;
  /** The prompt file of the agent or step. */
  own: WantedPrompt;
  run: RunContext;
  place: Place;
  /** Of the node that it works in. */
  config: LangGraphRunnableConfig;
}

export function agentTools(
  { record, own, run, place, config }: AgentWorking,
  state: ConversationState,
  { workflow, model, temperature, prompts, promptRevision }: AgentEnvironment,
): AgentTools {
  const { signal, meter, traceparent } = run;
  const { agent } = record;
  const context: CallContext = { signal, meter, traceparent, onEnd: record.called };
  const who = workOf(agent, place);
  const chat = () => {
    if (!model) throw configurationError(`workflows.${workflow}.model`, 'names no configured chat model');
    return model;
  };
  // A node started by a Send sees only what the Send carries.
  const { messages: said = [], summary = '' }: Partial<ConversationState> = state;
  const wire = (system: string, messages = said) => conversationMessages(system, summary, messages);
  return {
    async answer(system: string, given: BaseMessage[] | AnswerOptions = {}, task?: string) {
      const options = Array.isArray(given) ? { messages: given, task } : { task, ...given };
      const within = { agent, run, place, config: heardAs(record, config), context, chat, temperature };
      return answered(within, wire(system, options.messages), options);
    },
    async extract(shape, system, messages) {
      const request = { task: shape.name, messages: wire(system, messages), temperature };
      const { value, model: used } = await chat().extract(request, shape, context);
      run.usedModel(used);
      return value;
    },
    async prompt(variables = {}, fallback) {
      const files = fallback === undefined ? [own] : [own, { file: `${workflow}.${fallback}.jinja` }];
      const named = run.promptRevision;
      const pointing = withPointers(variables);
      const found = named === undefined ? undefined : await prompts.renderFrom(files, pointing, named);
      // What comes of another revision is not of the one that the run names: it does not exist, or lacks the file.
      const { text, used } =
        found?.used.revision_id === named && found
          ? found
          : await prompts.renderFrom(files, pointing, promptRevision);
      record.rendered(used, setApart(text).text, pointing);
      return withBlocks(text, variables);
    },
    input: run.input,
    opened: run.opened,
    status: (text) => run.emit({ ...place, kind: 'status', body: { ...who, text } }),
    signal: run.signal,
  };
}
