/** A call of a chat model inside a run: its request, and what it reports to the run. */
import type { BaseMessage } from '@langchain/core/messages';
import type { TSchema } from '@sinclair/typebox';
import { configurationError } from '../../../state/errors.ts';
import type { CallContext } from '../../../tools/models/call/call.ts';
import type { ChatModel } from '../../../tools/models/models.ts';
import type { CompletionRequest } from '../../../tools/models/provider/endpoint.ts';
import type { Extraction } from '../../../tools/models/structured/structured.ts';
import { tellingMeter } from '../../../tools/models/usage/meter.ts';
import { speaking } from '../run/speaking.ts';
import type { Answered } from './answer-message.ts';
import { openAITool, openAIToolChoice } from './bound-tools.ts';
import type { ChatModelCallOptions, ChatModelOptions } from './options.ts';
import { sentMessages } from './sent-messages.ts';
import { shapeOf } from './structured-output.ts';
import type { WithinRun } from './within-run.ts';

export interface ModelCall {
  /** The id of its message; a retried call gets a new one. */
  message: { id: string };
  /**
   * `more` is merged into the context of the call. Throws MODEL_CALL_FAILED, BUDGET_EXCEEDED, CONFIGURATION_ERROR, or a
   * signal's reason.
   */
  make(more?: Partial<CallContext>): Promise<Answered>;
}

export function modelCall(
  messages: BaseMessage[],
  { options, call }: { options: ChatModelOptions; call: ChatModelCallOptions },
  { run, location, record, quiet }: WithinRun,
): ModelCall {
  const message = { id: Bun.randomUUIDv7() };
  const shape = shapeOf(call);
  const signals = [run.signal, ...(call.signal ? [call.signal] : [])];
  const requestOf = async (): Promise<CompletionRequest> => ({
    task: shape?.name ?? 'chat',
    ...(await sentMessages(messages)),
    temperature: options.temperature ?? run.temperature,
    maxTokens: options.maxTokens,
    stop: call.stop,
    format: shape ? undefined : formatOf(call),
  });
  let converted: Promise<CompletionRequest> | undefined;
  const context: CallContext = {
    signal: AbortSignal.any(signals),
    meter: run.meter,
    traceparent: run.traceparent,
    onEnd: record.called,
    ...(quiet || shape ? {} : speaking(run, { agent: record.agent, location }, message)),
  };
  return {
    message,
    async make({ signal, ...more } = {}) {
      const chat = run.chat(options.model);
      if (!chat)
        throw configurationError('models', `chat model '${options.model}' of chatModel() is not configured`);
      converted ??= requestOf();
      const request = await converted;
      const callContext = {
        ...context,
        ...more,
        ...(signal && { signal: AbortSignal.any([...signals, signal]) }),
      };
      const answered = shape
        ? await extracted(chat, request, shape, callContext)
        : await chat.answer(request, callContext);
      run.usedModel(answered.model);
      return answered;
    },
  };
}

/** A structured value as the text of an answer. Nothing is reported before the value is valid. */
async function extracted(
  chat: ChatModel,
  request: CompletionRequest,
  shape: Extraction<TSchema>,
  context: CallContext,
): Promise<Answered> {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const meter = tellingMeter(context.meter, ({ inputTokens, outputTokens }) => {
    usage.inputTokens += inputTokens;
    usage.outputTokens += outputTokens;
  });
  const { value, model } = await chat.extract(request, shape, { ...context, meter, onPart: undefined });
  return { text: JSON.stringify(value), toolCalls: [], finish: 'stop', model, usage };
}

/** Leaves out fields that a provider may reject unless they are set. */
function formatOf(call: ChatModelCallOptions): Record<string, unknown> | undefined {
  const { tools = [], tool_choice, parallel_tool_calls, response_format } = call;
  const bound = {
    tools: tools.map(openAITool),
    ...(tool_choice === undefined ? {} : { tool_choice: openAIToolChoice(tool_choice) }),
    ...(parallel_tool_calls === undefined ? {} : { parallel_tool_calls }),
  };
  const format = { ...(tools.length > 0 ? bound : {}), ...(response_format ? { response_format } : {}) };
  return Object.keys(format).length === 0 ? undefined : format;
}
