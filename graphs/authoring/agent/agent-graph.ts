/** Agents whose work is a subgraph: each step is checkpointed, and a person may be asked between steps. */
import { AIMessage } from '@langchain/core/messages';
import { Annotation, type LangGraphRunnableConfig } from '@langchain/langgraph';
import { Conversation, type ConversationState, type Output } from '../../../state/threads/conversation.ts';
import { agentRecord, reportedAgent, reportedStep, withAgent, workingAs } from '../run/agent-record.ts';
import { reportingItself } from '../run/own-nodes.ts';
import { recordOf, runOf, taskOf, withRecord } from '../run/run-context.ts';
import { ownStops, type Stops, stopsWithin } from '../run/stops.ts';
import { type AgentEnvironment, type AgentTools, agentTools } from './agent.ts';

/** State that the steps of an agent share: the conversation, the agent's own channels, and finally its result. */
export const AgentWork = Annotation.Root({
  ...Conversation.spec,
  /** The agent's result; setting it ends the work. */
  result: Annotation<WorkResult | null>({ reducer: (_, next) => next, default: () => null }),
});

export type AgentWorkState = typeof AgentWork.State;

export interface WorkResult {
  /** The agent's response for people, which the thread remembers. */
  content: string;
  /** Its structured result, JSON, or null. */
  data: unknown;
}

/** A step of an agent's work: reads the state and returns an update. */
export type Step<State extends AgentWorkState = AgentWorkState> = (
  state: State,
  tools: AgentTools,
) => Promise<Partial<State>>;

/**
 * Makes a node of a step, whose prompt file is `<workflow>.<agent>.<step>.jinja`. The earlier name,
 * `<workflow>.<earlier>.jinja`, is used if the file doesn't exist; `earlier` defaults to the step's name.
 */
export type StepNode = <State extends AgentWorkState>(
  name: string,
  run: Step<State>,
  earlier?: string,
) => (state: State, config: LangGraphRunnableConfig) => Promise<Partial<State>>;

/** A graph of steps before it is compiled. */
interface WorkGraph {
  compile(): { invoke(input: unknown, config: LangGraphRunnableConfig): Promise<unknown> };
}

type Node<State> = (state: State, config: LangGraphRunnableConfig) => Promise<Partial<ConversationState>>;

/**
 * Returns the arguments of `addNode` for an agent: the name, the node, and the subgraph that drawings show inside it. The
 * work begins with the conversation; `begin` replaces it, for example with a question.
 */
export type AgentGraph = <State extends ConversationState = ConversationState>(
  name: string,
  build: (step: StepNode) => WorkGraph,
  begin?: (state: State) => Partial<ConversationState>,
) => [name: string, node: Node<State>, options: { subgraphs: never[] }];

export function agentGraph(environment: AgentEnvironment): AgentGraph {
  return <State extends ConversationState>(
    agent: string,
    build: (step: StepNode) => WorkGraph,
    begin?: (state: State) => Partial<ConversationState>,
  ) => {
    const { workflow } = environment;
    const step: StepNode = (name, work, earlier = name) => {
      const own = { file: `${workflow}.${agent}.${name}.jinja`, earlier: `${workflow}.${earlier}.jinja` };
      return (state, config) => {
        const run = runOf(config);
        const whole = recordOf(config);
        const task = taskOf(config);
        return reportedStep({ agent, run, task }, { step: name, whole }, (record) => {
          const tools = agentTools({ record, own, run, location: task.location, config }, state, environment);
          return workingAs(record, config, () => work(state, tools));
        });
      };
    };
    const graph = build(step).compile();
    const node: Node<State> = (state, config) => {
      const run = runOf(config);
      const task = taskOf(config);
      return reportedAgent({ agent, run, task }, async (whole) => {
        const { messages, summary } = { ...state, ...begin?.(state) };
        const record = agentRecord(run, whole, { agent, step: null });
        const within = withAgent(record, withRecord(config, whole));
        const stops = stopsAt(run.stops, [...(task.location.ns ?? []), agent]);
        const { result } = (await graph.invoke(
          { messages, summary },
          { ...within, ...stops },
        )) as AgentWorkState;
        if (!result) throw new Error(`agent '${agent}' ended without a result`);
        const { content, data } = result;
        const output: Output = { agent, content, data, finishedAt: Date.now() };
        // The message has the id of the streamed text, even if a later step has changed the text.
        const id = run.executions.spokenLast(agent, task.location) ?? Bun.randomUUIDv7();
        return { outputs: [output], messages: [new AIMessage({ content, id })] };
      });
    };
    return [agent, reportingItself(node), { subgraphs: [graph as never] }];
  };
}

/** The stops in the graph at this path of nodes. Parts of the path may end with the id of a task. */
function stopsAt(stops: Stops = {}, path: string[]): Stops {
  const within = path.reduce<Stops | undefined>(
    (around, part) => around && stopsWithin(around, part.split(':')[0] ?? part),
    stops,
  );
  return within ? ownStops({}, within) : {};
}
