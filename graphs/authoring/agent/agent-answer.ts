/** Answers a conversation: in one model call, or in several with tool calls in between. */
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { ClientTool } from '@langchain/core/tools';
import type { GraphLocation } from '../../../state/threads/events.ts';
import type { CallContext } from '../../../tools/models/call/call.ts';
import type { ChatModel } from '../../../tools/models/models.ts';
import type { CompletionRequest, WireMessage } from '../../../tools/models/provider/endpoint.ts';
import { answerMessage } from '../chat-model/answer-message.ts';
import { openAITool } from '../chat-model/bound-tools.ts';
import { sentMessages } from '../chat-model/sent-messages.ts';
import type { RunContext } from '../run/run-context.ts';
import { speaking } from '../run/speaking.ts';
import { answerWithTools } from './tool-loop.ts';

export interface AnswerOptions {
  /** The conversation to answer. Default: that of the state. */
  messages?: BaseMessage[];
  /** LangChain tools that the model may call. */
  tools?: ClientTool[];
  /** The maximum number of model calls with tools. Default: 10. */
  maxSteps?: number;
  /** Selects the rules of the built-in offline model. Default: `chat` with tools, otherwise `answer`. */
  task?: string;
}

export interface Answering {
  agent: string;
  run: RunContext;
  location: GraphLocation;
  /** The config of the agent's node, with the agent's record. */
  config: RunnableConfig;
  context: CallContext;
  chat(): ChatModel;
  temperature: number | undefined;
}

const MAX_STEPS = 10;

/** Answers the last of the messages and streams the text. Throws the errors of a model call. */
export async function answered(
  { agent, run, location, config, context, chat, temperature }: Answering,
  messages: WireMessage[],
  { tools = [], maxSteps = MAX_STEPS, task = tools.length > 0 ? 'chat' : 'answer' }: AnswerOptions,
) {
  const format = tools.length > 0 ? { format: { tools: tools.map(openAITool) } } : {};
  const ask = async (made: BaseMessage[]) => {
    const message = { id: Bun.randomUUIDv7() };
    const speaks = { ...context, ...speaking(run, { agent, location }, message) };
    const request = { task, ...(await following(messages, made)), temperature, ...format };
    const answer = await chat().answer(request, speaks);
    run.usedModel(answer.model);
    return answerMessage(answer, message.id);
  };
  const { text, id } =
    tools.length > 0 ? await answerWithTools({ agent, tools, maxSteps, ask, config }) : await ask([]);
  return { content: text, update: { messages: [new AIMessage({ content: text, ...(id && { id }) })] } };
}

/** A conversation, followed by tool calls and their results. */
async function following(
  conversation: WireMessage[],
  made: BaseMessage[],
): Promise<Pick<CompletionRequest, 'messages' | 'sent'>> {
  if (made.length === 0) return { messages: conversation };
  const { messages, sent = [] } = await sentMessages(made);
  return { messages: [...conversation, ...messages], sent: [...conversation, ...sent] };
}
