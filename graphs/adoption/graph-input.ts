/** The input of a graph: a prompt, or the caller's own input. */
import { HumanMessage } from '@langchain/core/messages';
import { SkeinError } from '../../state/errors.ts';
import type { CompiledGraph } from '../authoring/workflow.ts';
import {
  checkedContext,
  inputChannels,
  inputIssues,
  issueText,
  isTextField,
  requiredStrings,
} from './schemas/graph-schemas.ts';
import { messageIssue } from './schemas/message-channels.ts';

const MESSAGES = 'messages';
const REFUSED = 'The workflow does not accept this input';

/**
 * Where a prompt goes in a graph's input: into a field, or it is the whole input. Undefined if the graph requires more than a
 * prompt.
 */
export type TextInput = { field: string } | { whole: true } | undefined;

/**
 * A prompt becomes a message if the input has `messages`; otherwise, the only string that the schema requires, or the value of
 * the only channel. A graph of the functional API has no channels and gets the text itself.
 */
export async function textInputOf(graph: CompiledGraph): Promise<TextInput> {
  const channels = inputChannels(graph);
  if (!channels) return { whole: true };
  const field = await fieldOf(graph, channels);
  if (field === undefined) return undefined;
  const issues = (await inputIssues(graph, inputWith(field, 'text'))) ?? [];
  const isText = field !== MESSAGES && isTextField(graph, field);
  // Ignore issues with the sample text: another text may be valid. An issue without a path may concern the text, too.
  const mayStart = issues.every(
    ({ path: [first] = [] }) => first === undefined || (isText && first === field),
  );
  return mayStart ? { field } : undefined;
}

async function fieldOf(graph: CompiledGraph, channels: string[]): Promise<string | undefined> {
  if (channels.includes(MESSAGES)) return MESSAGES;
  const [required, ...more] = await requiredStrings(graph);
  if (required !== undefined && more.length === 0) return required;
  const [only, ...others] = channels;
  return others.length === 0 ? only : undefined;
}

/** The graph's input for a prompt. Throws INVALID_WORKFLOW_INPUT if the graph requires more than a prompt. */
export function promptInput(graph: CompiledGraph, textInput: TextInput, prompt: string): unknown {
  if (!textInput) {
    const fields = inputChannels(graph) ?? [];
    throw refused(`The workflow does not accept user_prompt alone: send 'input' with ${fields.join(', ')}`);
  }
  return 'whole' in textInput ? prompt : inputWith(textInput.field, prompt);
}

function inputWith(field: string, prompt: string): Record<string, unknown> {
  if (field !== MESSAGES) return { [field]: prompt };
  return { messages: [new HumanMessage({ content: prompt, id: Bun.randomUUIDv7() })] };
}

/** Throws INVALID_WORKFLOW_INPUT, naming the path, if the graph does not start with this prompt alone. */
export async function checkPrompt(graph: CompiledGraph, textInput: TextInput, prompt: string): Promise<void> {
  if (textInput && 'whole' in textInput) return;
  const field = textInput?.field ?? (await fieldOf(graph, inputChannels(graph) ?? []));
  const issues = await inputIssues(graph, field === undefined ? {} : inputWith(field, prompt));
  if (issues) throw refused(issueText('input', issues));
  promptInput(graph, textInput, prompt);
}

/** Throws INVALID_WORKFLOW_INPUT, naming the path, if the graph cannot start with this input. */
export async function checkInput(graph: CompiledGraph, input: unknown): Promise<void> {
  const channels = inputChannels(graph);
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  if (channels && !isObject) throw refused(`input: must be an object with ${channels.join(', ')}`);
  const issues = await inputIssues(graph, input);
  if (issues) throw refused(issueText('input', issues));
  const known = channels?.some((name) => Object.hasOwn(input as object, name)) ?? true;
  if (!known) throw refused(`input: unknown fields; the workflow's fields are ${channels?.join(', ')}`);
  if (channels) checkMessages(graph, input as object, 'input');
}

/** Throws INVALID_WORKFLOW_INPUT, naming the path, if these values of channels contain something instead of a message. */
export function checkMessages(graph: CompiledGraph, values: object, part: string): void {
  const issue = messageIssue(graph, values, part);
  if (issue) throw refused(issue);
}

/** The context with the defaults of the graph's schema. Throws INVALID_WORKFLOW_INPUT, naming the path. */
export async function contextFor(graph: CompiledGraph, context: unknown): Promise<unknown> {
  if (context === undefined) return undefined;
  const checked = await checkedContext(graph, context);
  if (checked.issues) throw refused(issueText('context', checked.issues));
  return checked.value;
}

const QUESTION_CHARACTERS = 200;

/** The question of a turn with an input but no prompt, for display and storage. */
export function questionIn(input: unknown): string {
  const { messages } = (input ?? {}) as { messages?: unknown };
  const texts = (Array.isArray(messages) ? messages : [messages]).map(humanText);
  const last = texts.findLast((text) => text !== undefined && text.trim() !== '');
  return last ?? (JSON.stringify(input) ?? 'null').slice(0, QUESTION_CHARACTERS);
}

const HUMAN: unknown[] = ['human', 'user'];

/** The text of a human message in any of LangChain's forms; undefined for other messages. */
function humanText(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  if (Array.isArray(message)) return HUMAN.includes(message[0]) ? contentText(message[1]) : undefined;
  const { role, type, content } = (message ?? {}) as Record<string, unknown>;
  return HUMAN.includes(role ?? type) ? contentText(content) : undefined;
}

function contentText(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content.flatMap((block) => (typeof block?.text === 'string' ? [block.text] : [])).join('');
}

function refused(detail: string): SkeinError {
  return new SkeinError('INVALID_WORKFLOW_INPUT', { message: REFUSED, detail });
}
