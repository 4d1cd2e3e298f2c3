/** Agents: the nodes of a workflow's graph, each a function of the state and of the run's tools. */
import type { BaseMessage } from '@langchain/core/messages';
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import type { Static, TSchema } from '@sinclair/typebox';
import type { Prompts, WantedPrompt } from '../../../prompts/prompts.ts';
import { configurationError } from '../../../state/errors.ts';
import type { ConversationState, Output } from '../../../state/threads/conversation.ts';
import type { GraphLocation } from '../../../state/threads/events.ts';
import type { CallContext } from '../../../tools/models/call/call.ts';
import type { ChatModel } from '../../../tools/models/models.ts';
import type { Extraction } from '../../../tools/models/structured/structured.ts';
import { setApart, withBlocks, withPointers } from '../../../tools/text/block.ts';
import { type AgentRecord, agentRecord, reportedAgent, reportingTo, workingAs } from '../run/agent-record.ts';
import type { Opened } from '../run/opened.ts';
import { reportingItself } from '../run/own-nodes.ts';
import { type RunContext, runOf, taskOf, workOf } from '../run/run-context.ts';
import { type AnswerOptions, answered } from './agent-answer.ts';
import { conversationMessages } from './conversation-messages.ts';

/** An agent's work: reads the state, uses its tools, returns its response. It must not change the state in place. */
export type Agent<State extends ConversationState = ConversationState> = (
  state: State,
  tools: AgentTools,
) => Promise<AgentResult<State>>;

export interface AgentResult<State extends ConversationState = ConversationState> {
  /** The agent's response for people. */
  content: string;
  /** Its structured result, JSON; default null. */
  data?: unknown;
  /** Updates of the state's channels. */
  update?: Partial<State>;
}

/** What an agent can use, bound to the run and to the agent. */
export interface AgentTools {
  /**
   * Answers the conversation under a system prompt and streams the text. Returns the agent's result, which the thread
   * remembers. `task` selects the rules of the built-in offline model.
   */
  answer(system: string, messages?: BaseMessage[], task?: string): Promise<AgentResult>;
  /**
   * Like above, but the model may call `tools` before it answers. The model gets tool errors as results. The thread does not
   * remember tool calls. Throws MODEL_CALL_FAILED if the model still calls tools in the last step.
   */
  answer(system: string, options: AnswerOptions): Promise<AgentResult>;
  /** Returns a value that fits the schema. Nothing is streamed. */
  extract<T extends TSchema>(
    shape: Extraction<T>,
    system: string,
    messages?: BaseMessage[],
  ): Promise<Static<T>>;
  /**
   * Renders the agent's prompt file, `<workflow>.<agent>.jinja`, or the step's, `<workflow>.<agent>.<step>.jinja`; if the
   * file doesn't exist, the workflow's `<workflow>.<fallback>.jinja`.
   * A variable that contains a data block renders as a reference to it; the blocks follow the text in a user message.
   */
  prompt(variables?: Record<string, unknown>, fallback?: string): Promise<string>;
  /** What the workflow's `read` returned for the prompt; without `read`, the prompt itself. */
  input: unknown;
  /**
   * A resource that the run's agents share and that is closed at the end of the run: returns the one under `key`, or creates it
   * with `open`.
   */
  opened: Opened;
  /** Reports progress to people who watch the run. */
  status(text: string): void;
  /** Aborts when the run is cancelled or exceeds its deadline. Pass it to everything that accepts a signal. */
  signal: AbortSignal;
}

/** Creates a graph node from an agent. */
export type AgentNode = <State extends ConversationState>(
  name: string,
  run: Agent<State>,
) => (state: State, config: LangGraphRunnableConfig) => Promise<Partial<State>>;

/** What all agents of a workflow share. */
export interface AgentEnvironment {
  workflow: string;
  /** The workflow's configured model; undefined if its name is unknown. */
  model: ChatModel | undefined;
  temperature: number | undefined;
  prompts: Prompts;
  /** The prompt revision of runs that name no existing revision. Default: the shipped files. */
  promptRevision?: string;
}

/** Agents report to the run in the node's LangGraph config. */
export function agentNode(environment: AgentEnvironment): AgentNode {
  return (name, work) =>
    reportingItself(async (state, config) => {
      const run = runOf(config);
      const task = taskOf(config);
      return reportedAgent({ agent: name, run, task }, async (whole) => {
        const record = agentRecord(run, whole, { agent: name, step: null });
        const own = { file: `${environment.workflow}.${name}.jinja` };
        const tools = agentTools({ record, own, run, location: task.location, config }, state, environment);
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
  location: GraphLocation;
  /** The config of its node. */
  config: LangGraphRunnableConfig;
}

export function agentTools(
  { record, own, run, location, config }: AgentWorking,
  state: ConversationState,
  { workflow, model, temperature, prompts, promptRevision }: AgentEnvironment,
): AgentTools {
  const { signal, meter, traceparent } = run;
  const { agent } = record;
  const context: CallContext = { signal, meter, traceparent, onEnd: record.called };
  const who = workOf(agent, location);
  const chat = () => {
    if (!model)
      throw configurationError(`workflows.${workflow}.model`, 'is not the name of a configured chat model');
    return model;
  };
  // A node started by a Send sees only the Send's data.
  const { messages: conversation = [], summary = '' }: Partial<ConversationState> = state;
  const wire = (system: string, messages = conversation) => conversationMessages(system, summary, messages);
  return {
    async answer(system: string, given: BaseMessage[] | AnswerOptions = {}, task?: string) {
      const options = Array.isArray(given) ? { messages: given, task } : { task, ...given };
      const within = {
        agent,
        run,
        location,
        config: reportingTo(record, config),
        context,
        chat,
        temperature,
      };
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
      // A file of another revision means that the run's revision doesn't exist or lacks the file.
      const { text, used } =
        found?.used.revision_id === named && found
          ? found
          : await prompts.renderFrom(files, pointing, promptRevision);
      record.rendered(used, setApart(text).text, pointing);
      return withBlocks(text, variables);
    },
    input: run.input,
    opened: run.opened,
    status: (text) => run.emit({ ...location, kind: 'status', body: { ...who, text } }),
    signal: run.signal,
  };
}
