/** The configured model as a LangChain chat model, for use inside graphs. */

import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import type {
  BaseLanguageModelInput,
  StructuredOutputMethodOptions,
} from '@langchain/core/language_models/base';
import {
  BaseChatModel,
  type BindToolsInput,
  type LangSmithParams,
} from '@langchain/core/language_models/chat_models';
import { assembleStructuredOutputPipeline } from '@langchain/core/language_models/structured_output';
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs';
import { type Runnable, type RunnableConfig, RunnableLambda } from '@langchain/core/runnables';
import type { SerializableSchema } from '@langchain/core/utils/standard_schema';
import type { InteropZodType } from '@langchain/core/utils/types';
import type { AnswerPart } from '../../../tools/models/answer/answer.ts';
import { runIn } from '../run/run-context.ts';
import { type Answered, answerMessage, lastChunk, partChunk } from './answer-message.ts';
import { openAITool } from './bound-tools.ts';
import { type ModelCall, modelCall } from './model-call.ts';
import type { ChatModelCallOptions, ChatModelOptions } from './options.ts';
import { formatOf, parsedValue } from './structured-output.ts';
import { configWithRun, withinRun } from './within-run.ts';

/**
 * The workflow's configured model, or the one that `model` names. You can create it anywhere, even before the service starts,
 * but only call it in a run. The run's retries, fallbacks, deadline, budget and records apply.
 */
export function chatModel(options: ChatModelOptions = {}): SkeinChatModel {
  return new SkeinChatModel(options);
}

// LangChain doesn't pass a call's config to the method that streams it.
const CONFIG = Symbol('the config of a call');

type Parsed = ChatModelCallOptions & { [CONFIG]?: RunnableConfig };

/** A class because LangChain requires one. */
export class SkeinChatModel extends BaseChatModel<ChatModelCallOptions> {
  static override lc_name(): string {
    return 'SkeinChatModel';
  }

  readonly options: Readonly<ChatModelOptions>;

  constructor(options: ChatModelOptions = {}) {
    super({});
    this.options = options;
  }

  override _llmType(): string {
    return 'skein';
  }

  /** The model's name in the settings; undefined: the workflow's model. */
  get model(): string | undefined {
    return this.options.model;
  }

  override bindTools(
    tools: BindToolsInput[],
    options: Partial<ChatModelCallOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ChatModelCallOptions> {
    return this.withConfig({ ...options, tools: tools.map(openAITool) });
  }

  /** `method` and `strict` are ignored: the settings of the model decide, see `models[].structured_output`. */
  override withStructuredOutput<Out extends Shape = Shape>(
    schema: StructuredSchema<Out>,
    config?: StructuredOutputMethodOptions<false>,
  ): Runnable<BaseLanguageModelInput, Out>;
  override withStructuredOutput<Out extends Shape = Shape>(
    schema: StructuredSchema<Out>,
    config?: StructuredOutputMethodOptions<true>,
  ): Runnable<BaseLanguageModelInput, WithRaw<Out>>;
  override withStructuredOutput<Out extends Shape = Shape>(
    schema: StructuredSchema<Out>,
    { name, includeRaw }: StructuredOutputMethodOptions<boolean> = {},
  ): Runnable<BaseLanguageModelInput, Out> | Runnable<BaseLanguageModelInput, WithRaw<Out>> {
    const response_format = formatOf(schema, name);
    const called = response_format.json_schema?.name ?? '';
    const parser = RunnableLambda.from<BaseMessage, Out>(
      async (answer) => (await parsedValue(answer, schema, called)) as Out,
    );
    const asking = this.withConfig({ response_format });
    return assembleStructuredOutputPipeline(asking, parser, includeRaw, 'StructuredOutput');
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const call = this.#call(messages, options);
    const answered = await call.make();
    const message = answerMessage(answered, call.message.id);
    const { input_tokens = 0, output_tokens = 0, total_tokens = 0 } = message.usage_metadata ?? {};
    const tokenUsage = {
      promptTokens: input_tokens,
      completionTokens: output_tokens,
      totalTokens: total_tokens,
    };
    return { generations: [{ text: answered.text, message }], llmOutput: { tokenUsage } };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of chunksOf(this.#call(messages, options))) {
      yield chunk;
      const at = { prompt: 0, completion: 0 };
      await runManager?.handleLLMNewToken(chunk.text, at, undefined, undefined, undefined, { chunk });
    }
  }

  override getLsParams(options: this['ParsedCallOptions']): LangSmithParams {
    const { temperature, maxTokens } = this.options;
    return {
      ls_provider: 'skein',
      ls_model_type: 'chat',
      ...defined({ ls_model_name: this.#modelName(options), ls_stop: options.stop }),
      ...defined({ ls_temperature: temperature, ls_max_tokens: maxTokens }),
    };
  }

  override invocationParams(options?: this['ParsedCallOptions']): Record<string, unknown> {
    const { temperature, maxTokens } = this.options;
    const { stop, tools, tool_choice, response_format } = options ?? {};
    const model = options && this.#modelName(options);
    return defined({ model, temperature, max_tokens: maxTokens, stop, tools, tool_choice, response_format });
  }

  protected override _separateRunnableConfigFromCallOptionsCompat(
    options?: Partial<ChatModelCallOptions>,
  ): [RunnableConfig, this['ParsedCallOptions']] {
    const [config, call] = super._separateRunnableConfigFromCallOptionsCompat(options);
    return [config, { ...call, [CONFIG]: config }];
  }

  #call(messages: BaseMessage[], options: this['ParsedCallOptions']): ModelCall {
    const call: Parsed = options;
    return modelCall(messages, { options: this.options, call }, withinRun(call[CONFIG]));
  }

  #modelName(options: Parsed): string | undefined {
    const config = configWithRun(options[CONFIG]);
    return (config && runIn(config)?.chat(this.model)?.name) ?? this.model;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: this must match LangChain's own signature
type Shape = Record<string, any>;

type StructuredSchema<Out extends Shape> = InteropZodType<Out> | SerializableSchema<Out> | Shape;

interface WithRaw<Out> {
  raw: BaseMessage;
  parsed: Out;
}

/** Yields the chunks of an answer as they arrive. If the reader stops, the call is aborted. */
async function* chunksOf({ message: { id }, make }: ModelCall): AsyncGenerator<ChatGenerationChunk> {
  const stopper = new AbortController();
  const { signal } = stopper;
  let answered: Answered | undefined;
  const parts = new ReadableStream<AnswerPart>({
    start(controller) {
      const onPart = (part: AnswerPart) => signal.aborted || controller.enqueue(part);
      const end = (answer: Answered) => {
        answered = answer;
        if (!signal.aborted) controller.close();
      };
      make({ signal, onPart, lasting: true }).then(end, (error) => controller.error(error));
    },
    cancel: () => stopper.abort(),
  });
  let begun = false;
  for await (const part of parts) {
    begun = true;
    yield partChunk(part, id);
  }
  if (!answered) return;
  if (!begun) yield partChunk({ text: answered.text, toolCalls: [] }, id);
  yield lastChunk(answered, id);
}

/** Removes undefined fields, which tracers would show. */
function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
