/** Records the messages and prompt files of a model call, and cuts texts that exceed the limits. */
import type { SentPrompt } from '../../graphs/authoring/run/run-context.ts';
import type { UsedPrompt } from '../../state/threads/run-trace.ts';
import type { ToolCall } from '../../tools/models/answer/answer.ts';
import type { WireMessage } from '../../tools/models/provider/endpoint.ts';

export interface RecordedMessage extends WireMessage {
  /** The text without the tool calls, which `content` describes in words. */
  text?: string;
  toolCalls?: ToolCall[];
  /** The id of the tool call whose result this message is. */
  toolCallId?: string;
}

/** A prompt file. Without `place` if its message was cut, and without `variables` if they exceeded the limit. */
export type RecordedPrompt = UsedPrompt & Partial<Pick<SentPrompt, 'place' | 'variables'>>;

export interface TextBudget {
  /** Returns the part of a text that fits, and subtracts it from the budget. */
  fitted(text: string): string;
  /** Subtracts a text from the budget and returns true if it fits completely. */
  takes(text: string): boolean;
}

interface Recorded {
  message: RecordedMessage;
  isCut: boolean;
  isWhole: boolean;
}

/** `sent`: the message in the provider's form, if it has more than text. */
export function recordMessage(
  { role, content }: WireMessage,
  sent: object | undefined,
  texts: TextBudget,
): Recorded {
  const shown = texts.fitted(content);
  const message: RecordedMessage = { role, content: shown };
  const isCut = shown !== content;
  const { content: sentContent, tool_calls, tool_call_id }: SentFields = sent ?? {};
  if (typeof tool_call_id === 'string') message.toolCallId = tool_call_id;
  const isText =
    sent === undefined ||
    typeof sentContent === 'string' ||
    sentContent === null ||
    sentContent === undefined;
  if (tool_calls === undefined) return { message, isCut, isWhole: isText && !isCut };
  const toolCalls = tool_calls.flatMap(functionCall);
  const text = typeof sentContent === 'string' ? sentContent : '';
  const hasRoom = toolCalls.length === tool_calls.length && texts.takes(JSON.stringify(tool_calls) + text);
  return {
    message: hasRoom ? { ...message, text, toolCalls } : message,
    isCut,
    isWhole: isText && !isCut && hasRoom,
  };
}

interface SentFields {
  content?: unknown;
  tool_calls?: { id?: string; function?: { name: string; arguments: string } }[];
  tool_call_id?: unknown;
}

function functionCall({
  id = '',
  function: called,
}: NonNullable<SentFields['tool_calls']>[number]): ToolCall[] {
  return called ? [{ id, name: called.name, arguments: called.arguments }] : [];
}

export function recordPrompt(
  { place, variables, ...used }: SentPrompt,
  messages: Recorded[],
  texts: TextBudget,
): RecordedPrompt {
  const isThere = messages[place.message]?.isCut === false;
  return { ...used, ...(isThere && { place }), ...recordedVariables(variables, texts) };
}

/** Copies the variables, because a graph may change them later. */
function recordedVariables(
  variables: Record<string, unknown>,
  texts: TextBudget,
): Pick<RecordedPrompt, 'variables'> {
  try {
    const json = JSON.stringify(variables);
    return texts.takes(json) ? { variables: JSON.parse(json) } : {};
  } catch {
    // A graph may pass variables that can't be converted to JSON.
    return {};
  }
}
