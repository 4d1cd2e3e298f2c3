/** What a message asks of a workflow: its text is the prompt, its data the input. */
import type { Message } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors';
import { inputChannels } from '../../graphs/adoption/schemas/graph-schemas.ts';
import type { TurnRequest } from '../../runtime/intake/turn.ts';
import type { RunnableWorkflow } from '../../runtime/workflows/registered.ts';
import { SkeinError } from '../../state/errors.ts';
import { type Contents, contentsOf } from './parts.ts';

type Question = Pick<TurnRequest, 'prompt' | 'input'>;

/** Throws INVALID_REQUEST, or that the workflow takes no files. */
export function questionIn({ parts }: Message, workflow: RunnableWorkflow): Question {
  const contents = contentsOf(parts);
  const { text, data, files } = contents;
  const prompt = text.trim() === '' ? undefined : text;
  if (prompt === undefined && data.length === 0 && files.length === 0)
    throw new SkeinError('INVALID_REQUEST', { detail: 'message.parts: expected text, data or a file' });
  if (files.length > 0 && fieldOf(workflow) !== MESSAGES)
    throw new ContentTypeNotSupportedError(`'${workflow.name}' takes text and data`);
  if (data.length === 0 && files.length === 0) return { prompt };
  if (workflow.adopted) return { prompt, input: inputOf(contents, workflow) };
  return { prompt: [...(prompt ? [prompt] : []), ...data.map((one) => JSON.stringify(one))].join('\n') };
}

const MESSAGES = 'messages';

/** The data's fields, beside the text where the graph takes it. */
function inputOf({ text, data, files }: Contents, workflow: RunnableWorkflow): unknown {
  const [only, ...others] = data;
  const isWhole = text.trim() === '' && files.length === 0 && others.length === 0;
  if (isWhole) return only;
  const field = fieldOf(workflow);
  if (!data.every(isObject) || (field === undefined && text.trim() !== ''))
    throw new SkeinError('INVALID_WORKFLOW_INPUT', {
      message: 'The workflow does not accept this message',
      detail: `message.parts: '${workflow.name}' takes one data part`,
    });
  return { ...(field !== undefined && said(field, text, files)), ...Object.assign({}, ...data) };
}

function said(field: string, text: string, files: Contents['files']): Record<string, unknown> {
  if (text.trim() === '' && files.length === 0) return {};
  if (field !== MESSAGES) return { [field]: text };
  const parts = text.trim() === '' ? files : [{ type: 'text', text }, ...files];
  return { messages: [{ role: 'user', content: files.length > 0 ? parts : text }] };
}

/** The field of the graph's input that takes a text. */
function fieldOf({ graph, adopted }: RunnableWorkflow): string | undefined {
  if (!adopted) return undefined;
  if (inputChannels(graph)?.includes(MESSAGES)) return MESSAGES;
  return adopted.takes && 'field' in adopted.takes ? adopted.takes.field : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
