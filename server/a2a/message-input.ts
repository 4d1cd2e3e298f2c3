/** Converts a message that starts a task into a workflow's prompt (from text) and input (from data and files). */
import type { Message } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors';
import { inputChannels } from '../../graphs/adoption/schemas/graph-schemas.ts';
import type { TurnRequest } from '../../runtime/intake/turn.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import { SkeinError } from '../../state/errors.ts';
import { type Contents, contentsOf } from './parts.ts';

type MessageInput = Pick<TurnRequest, 'prompt' | 'input'>;

/**
 * Throws INVALID_REQUEST if the message is empty, INVALID_WORKFLOW_INPUT if the graph doesn't accept its parts, and
 * ContentTypeNotSupportedError if it has files but the workflow doesn't accept files.
 */
export function messageInput({ parts }: Message, workflow: RunnableWorkflow): MessageInput {
  const contents = contentsOf(parts);
  const { text, data, files } = contents;
  const prompt = text.trim() === '' ? undefined : text;
  if (prompt === undefined && data.length === 0 && files.length === 0)
    throw new SkeinError('INVALID_REQUEST', { detail: 'message.parts: expected text, data or a file' });
  if (files.length > 0 && textFieldOf(workflow) !== MESSAGES)
    throw new ContentTypeNotSupportedError(
      `The workflow '${workflow.name}' accepts text and data parts, but no files`,
    );
  if (data.length === 0 && files.length === 0) return { prompt };
  if (workflow.adopted) return { prompt, input: inputOf(contents, workflow) };
  return { prompt: [...(prompt ? [prompt] : []), ...data.map((item) => JSON.stringify(item))].join('\n') };
}

const MESSAGES = 'messages';

/** A single data part is the whole input. Otherwise, merges the fields of the data parts with the text and files. */
function inputOf({ text, data, files }: Contents, workflow: RunnableWorkflow): unknown {
  const [only, ...others] = data;
  const isSingleDataPart = text.trim() === '' && files.length === 0 && others.length === 0;
  if (isSingleDataPart) return only;
  const field = textFieldOf(workflow);
  if (!data.every(isObject) || (field === undefined && text.trim() !== ''))
    throw new SkeinError('INVALID_WORKFLOW_INPUT', {
      message: 'The workflow does not accept this message',
      detail: `message.parts: the workflow '${workflow.name}' accepts a single data part`,
    });
  return { ...(field !== undefined && textInput(field, text, files)), ...Object.assign({}, ...data) };
}

function textInput(field: string, text: string, files: Contents['files']): Record<string, unknown> {
  if (text.trim() === '' && files.length === 0) return {};
  if (field !== MESSAGES) return { [field]: text };
  const parts = text.trim() === '' ? files : [{ type: 'text', text }, ...files];
  return { messages: [{ role: 'user', content: files.length > 0 ? parts : text }] };
}

/** The field of the graph's input for the message's text; undefined if the graph has none. */
function textFieldOf({ graph, adopted }: RunnableWorkflow): string | undefined {
  if (!adopted) return undefined;
  if (inputChannels(graph)?.includes(MESSAGES)) return MESSAGES;
  return adopted.textInput && 'field' in adopted.textInput ? adopted.textInput.field : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
