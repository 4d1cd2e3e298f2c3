/** The handler of LangChain's callbacks during a graph's run. */
import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { BaseMessage } from '@langchain/core/messages';
import type { ModelParameters } from '../../../tools/models/call/call.ts';
import type { WireMessage } from '../../../tools/models/provider/endpoint.ts';
import { taskOf } from '../../authoring/run/run-context.ts';
import { messageText } from '../message-json.ts';
import { callOptions } from './call-options.ts';
import type { StartedChain } from './quiet-callbacks.ts';
import type { FollowedTools } from './tool-calls.ts';

export type Metadata = Record<string, unknown>;

/** The fields of a LangChain message that are used here. */
export interface Answer {
  id?: string;
  content?: unknown;
  additional_kwargs?: Record<string, unknown>;
  usage_metadata?: {
    input_tokens?: number;
    output_tokens?: number;
    input_token_details?: { cache_read?: number };
  };
  response_metadata?: { model_name?: string; model?: string };
}

export interface SentMessages {
  messages: WireMessage[];
  /** In LangChain's form; undefined for a plain prompt. */
  group?: BaseMessage[] | undefined;
  /** The other parameters of the call, if they are known. */
  parameters?: ModelParameters | undefined;
}

export interface CallObserver {
  /** A chain has started. It is a node if LangGraph called it. */
  started(chain: StartedChain): void;
  /** Throws if the call must not be made. Idempotent for the same call. */
  start(runId: string, messages: SentMessages, tags?: string[], metadata?: Metadata): void;
  /** Resolves when the call may be made; throws if it must not. */
  reserve(runId: string): Promise<void>;
  token(runId: string, text: string, message: Answer | undefined): void;
  end(runId: string, answer: Answer | undefined, text: string): Promise<void>;
  fail(runId: string, error: unknown): void;
  tools: FollowedTools;
  /** Whether tokens are requested; if so, chat models stream. */
  tokens: boolean;
}

/** A class because LangChain requires one. */
export class GraphHandler extends BaseCallbackHandler {
  override name = 'skein';
  // A call that would exceed the budget must not be made, even if a copy of LangChain doesn't call the guard.
  override raiseError = true;
  override awaitHandlers = true;
  override ignoreRetriever = true;
  override ignoreAgent = false;
  // The name is LangChain's. If the field is set, chat models stream.
  readonly lc_prefer_streaming: boolean;
  readonly #observer: CallObserver;

  constructor(observer: CallObserver) {
    super();
    this.#observer = observer;
    this.lc_prefer_streaming = observer.tokens;
  }

  /** LangGraph's stream reports nodes, but not their retries. */
  override handleChainStart(
    ...[, , , , tags = [], metadata = {}]: Parameters<NonNullable<BaseCallbackHandler['handleChainStart']>>
  ) {
    this.#observer.started({ tags, metadata });
  }

  override handleChatModelStart(
    ...[, messages, runId, , extra, tags, metadata]: Parameters<
      NonNullable<BaseCallbackHandler['handleChatModelStart']>
    >
  ) {
    this.#observer.start(runId, sentMessages(messages, extra), tags, metadata);
    return this.#observer.reserve(runId);
  }

  override handleLLMStart(
    ...[, prompts, runId, , , tags, metadata]: Parameters<NonNullable<BaseCallbackHandler['handleLLMStart']>>
  ) {
    this.#observer.start(runId, sentPrompts(prompts), tags, metadata);
    return this.#observer.reserve(runId);
  }

  override handleLLMNewToken(
    ...[text, , runId, , , fields]: Parameters<NonNullable<BaseCallbackHandler['handleLLMNewToken']>>
  ) {
    const { message } = (fields?.chunk ?? {}) as { message?: Answer };
    // A token may arrive as content blocks, with empty text.
    this.#observer.token(runId, text || messageText(message ?? {}), message);
  }

  override handleLLMEnd(...[output, runId]: Parameters<NonNullable<BaseCallbackHandler['handleLLMEnd']>>) {
    const generation = output.generations[0]?.[0] as { message?: Answer; text: string } | undefined;
    const { message } = generation ?? {};
    return this.#observer.end(runId, message, message ? messageText(message) : (generation?.text ?? ''));
  }

  override handleLLMError(...[error, runId]: Parameters<NonNullable<BaseCallbackHandler['handleLLMError']>>) {
    this.#observer.fail(runId, error);
  }

  override handleToolStart(
    ...[tool, input, runId, , , metadata, name, toolCallId]: Parameters<
      NonNullable<BaseCallbackHandler['handleToolStart']>
    >
  ) {
    const { id = [] } = tool as { id?: string[] };
    this.#observer.tools.start(runId, {
      tool: name ?? id.at(-1) ?? 'tool',
      input,
      toolCallId,
      location: taskOf({ metadata: metadata ?? {} }).location,
    });
  }

  override handleToolEnd(...[output, runId]: Parameters<NonNullable<BaseCallbackHandler['handleToolEnd']>>) {
    this.#observer.tools.end(runId, output);
  }

  override handleToolError(
    ...[error, runId]: Parameters<NonNullable<BaseCallbackHandler['handleToolError']>>
  ) {
    this.#observer.tools.fail(runId, error);
  }
}

const ROLES: Record<string, WireMessage['role']> = { system: 'system', ai: 'assistant', tool: 'tool' };

export function sentMessages(groups: BaseMessage[][], extra?: Record<string, unknown>): SentMessages {
  const messages = groups
    .flat()
    .map((message) => ({ role: roleOf(message.getType()), content: messageText(message) }));
  return { messages, group: groups[0], parameters: callOptions(extra) };
}

export function sentPrompts(prompts: string[]): SentMessages {
  return { messages: prompts.map((content) => ({ role: 'user', content })) };
}

function roleOf(type: string): WireMessage['role'] {
  return ROLES[type] ?? 'user';
}
