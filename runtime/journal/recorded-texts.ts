/** What is kept of the texts of a model call: cut where there is no room, and whole where it is sent again. */
import type { SentPrompt } from '../../graphs/authoring/run-context.ts';
import type { UsedPrompt } from '../../state/run-trace.ts';
import type { ToolCall } from '../../tools/models/answer.ts';
import type { WireMessage } from '../../tools/models/endpoint.ts';

export interface RecordedMessage extends WireMessage {
  /** Its text alone, where `content` has its tool calls in words, too. */
  text?: string;
  toolCalls?: ToolCall[];
  /** The call whose result it is. */
  toolCallId?: string;
}

/** A file whose text is in a message; without a place where it is cut there, and without variables where these had no room. */
export type RecordedPrompt = UsedPrompt & Partial<Pick<SentPrompt, 'place' | 'variables'>>;

export interface TextBudget {
  /** As much of a text as there is room for. */
  fitted(text: string): string;
  /** Whether there is room for all of a text, which then has it. */
  takes(text: string): boolean;
}

interface Kept {
  kept: RecordedMessage;
  isCut: boolean;
  isWhole: boolean;
}

/** `sent` is the message in the provider's form, where there is more to it than its text. */
export function recordMessage(
  { role, content }: WireMessage,
  sent: object | undefined,
  texts: TextBudget,
): Kept {
  const shown = texts.fitted(content);
  const kept: RecordedMessage = { role, content: shown };
  const isCut = shown !== content;
  const { content: said, tool_calls, tool_call_id }: SentFields = sent ?? {};
  if (typeof tool_call_id === 'string') kept.toolCallId = tool_call_id;
  const isText = sent === undefined || typeof said === 'string' || said === null || said === undefined;
  if (tool_calls === undefined) return { kept, isCut, isWhole: isText && !isCut };
  const toolCalls = tool_calls.flatMap(functionCall);
  const text = typeof said === 'string' ? said : '';
  const isKept = toolCalls.length === tool_calls.length && texts.takes(JSON.stringify(tool_calls) + text);
  return { kept: isKept ? { ...kept, text, toolCalls } : kept, isCut, isWhole: isText && !isCut && isKept };
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
  messages: Kept[],
  texts: TextBudget,
): RecordedPrompt {
  const isThere = messages[place.message]?.isCut === false;
  return { ...used, ...(isThere && { place }), ...keptVariables(variables, texts) };
}

/** A copy: a graph may change them later. */
function keptVariables(
  variables: Record<string, unknown>,
  texts: TextBudget,
): Pick<RecordedPrompt, 'variables'> {
  try {
    const json = JSON.stringify(variables);
    return texts.takes(json) ? { variables: JSON.parse(json) } : {};
  } catch {
    // A graph may hand over values that are no JSON.
    return {};
  }
}
