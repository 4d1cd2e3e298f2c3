/** What a chat model is made with, and what one call of it may say beside its messages. */
import type { BaseChatModelCallOptions, BindToolsInput } from '@langchain/core/language_models/chat_models';

/** What is not given is as the workflow and the model are configured. */
export interface ChatModelOptions {
  /** The name of a chat model of the `models` block; default: the workflow's. */
  model?: string;
  /** Sampling temperature. */
  temperature?: number;
  /** The longest answer, in tokens: one that ends there has the `finish_reason` `length`. */
  maxTokens?: number;
}

export interface ChatModelCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
  /** Whether the model may call several tools in one answer; default: the provider's. */
  parallel_tool_calls?: boolean;
  /** As in OpenAI's chat API. */
  response_format?: ResponseFormat;
}

export interface ResponseFormat {
  type: string;
  json_schema?: { name: string; schema?: object };
}
