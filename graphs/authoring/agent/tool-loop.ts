/** Answers with tools: calls the model, runs the tools that it requests, and repeats until it answers in text. */
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { ClientTool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { SkeinError } from '../../../state/errors.ts';

export interface ToolLoop {
  agent: string;
  tools: ClientTool[];
  /** The maximum number of model calls. */
  maxSteps: number;
  /** Calls the model; `made` are the earlier tool calls and their results. */
  ask(made: BaseMessage[]): Promise<AIMessage>;
  /** The config of its node. */
  config: RunnableConfig;
}

type Made = typeof MessagesAnnotation.State;

/**
 * Runs as a subgraph, so that each model call and each tool result is checkpointed, and no call is repeated after a crash or an
 * interrupt. Throws MODEL_CALL_FAILED if the model still calls tools in the last step.
 */
export async function answerWithTools({ agent, tools, maxSteps, ask, config }: ToolLoop): Promise<AIMessage> {
  const model = async ({ messages }: Made) => {
    const answer = await ask(messages);
    if (!callsTools(answer)) return { messages: [answer] };
    if (messages.filter(isAnswer).length + 1 < maxSteps) return { messages: withInvalidCalls(answer) };
    throw new SkeinError('MODEL_CALL_FAILED', {
      detail: `Agent '${agent}': the model still called tools in step ${maxSteps} of ${maxSteps} (maxSteps)`,
    });
  };
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', model)
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', afterModel, ['tools', END])
    .addEdge('tools', 'model')
    .compile({ name: 'tool_loop' });
  const { messages } = await graph.invoke({ messages: [] }, { ...config, recursionLimit: 2 * maxSteps });
  const answer = messages.at(-1);
  if (!answer || !isAnswer(answer)) throw new Error(`the tools of agent '${agent}' ended without an answer`);
  return answer;
}

const isAnswer = (message: BaseMessage): message is AIMessage => AIMessage.isInstance(message);

function callsTools({ tool_calls = [], invalid_tool_calls = [] }: AIMessage): boolean {
  return tool_calls.length + invalid_tool_calls.length > 0;
}

/** ToolNode runs the calls that have no result yet. */
const afterModel = ({ messages }: Made) => {
  const answer = messages.findLast(isAnswer);
  return answer && callsTools(answer) ? 'tools' : END;
};

/**
 * Adds an error as the result of each call with invalid arguments, and the call itself with empty arguments, because a provider
 * only accepts results of calls in the same request.
 */
function withInvalidCalls(answer: AIMessage): BaseMessage[] {
  const invalid = (answer.invalid_tool_calls ?? []).map(({ id = '', name = '' }) => ({ id, name }));
  if (invalid.length === 0) return [answer];
  const { id, content, tool_calls = [], usage_metadata, response_metadata } = answer;
  const emptied = invalid.map((call) => ({ ...call, type: 'tool_call' as const, args: {} }));
  const fields = { ...(id !== undefined && { id }), content, ...(usage_metadata && { usage_metadata }) };
  return [
    new AIMessage({ ...fields, response_metadata, tool_calls: [...tool_calls, ...emptied] }),
    ...invalid.map(
      (call) =>
        new ToolMessage({
          ...{ content: NO_OBJECT, name: call.name, status: 'error', tool_call_id: call.id },
        }),
    ),
  ];
}

const NO_OBJECT = 'Error: The arguments are not a JSON object. Call the tool again with one.';
