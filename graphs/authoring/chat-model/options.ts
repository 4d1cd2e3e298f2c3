/** Options of a chat model and of its calls. */
import type { BaseChatModelCallOptions, BindToolsInput } from '@langchain/core/language_models/chat_models';

/** Unset options have the values that are configured for the workflow and the model. */
export interface ChatModelOptions {
  /** The name of a chat model in the `models` block. Default: the workflow's model. */
  model?: string;
  /** Sampling temperature. */
  temperature?: number;
  /** The maximum length of the answer, in tokens: an answer that reaches it has the `finish_reason` `length`. */
  maxTokens?: number;
}

export interface ChatModelCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[];
  /** Whether the model may call several tools in one answer. Default: as the provider decides. */
  parallel_tool_calls?: boolean;
  /** In the format of OpenAI's chat API. */
  response_format?: ResponseFormat;
}

export interface ResponseFormat {
  type: string;
  json_schema?: { name: string; schema?: object };
}
