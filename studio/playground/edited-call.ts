/** A recorded call in the editor, with all fields as typed. */
import { type PromptName, readPrompt } from '../data/prompts.ts';
import type { RunCall } from '../data/runs/runs.ts';

export type Role = RunCall['messages'][number]['role'];

export const ROLES: Role[] = ['system', 'user', 'assistant', 'tool'];

export interface EditedMessage {
  /** Stays the same when messages are moved. */
  id: number;
  role: Role;
  text: string;
  /** JSON; empty for no tool calls. */
  toolCalls: string;
  toolCallId: string;
  /** The prompt file that the text comes from. */
  from?: PromptName | undefined;
  /** The prompt file's template, if it can be rendered again. */
  template?: EditedTemplate | undefined;
}

export interface EditedTemplate {
  name: PromptName;
  /** The version that the run used; null if it is unknown. */
  version: number | null;
  /** The file's text at that version. */
  original: string;
  text: string;
  /** The recorded values, by name. */
  variables: Record<string, unknown>;
  /** The typed texts, by name. */
  typed: Record<string, string>;
  /** The text of the message before and after the rendered file, and the rendered text. */
  around: { before: string; rendered: string; after: string };
  /** Whether to send the rendered template or the text of the message. */
  isSent: boolean;
}

export interface EditedTool {
  id: number;
  name: string;
  description: string;
  /** JSON. */
  schema: string;
}

export const SAMPLING = {
  temperature: { label: 'Temperature', min: 0, max: 2, step: 'any' },
  top_p: { label: 'Top p', min: 0, max: 1, step: 'any' },
  max_tokens: { label: 'Max tokens', min: 1, max: 10_000_000, step: 1 },
  seed: { label: 'Seed', min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, step: 1 },
  frequency_penalty: { label: 'Frequency penalty', min: -2, max: 2, step: 'any' },
  presence_penalty: { label: 'Presence penalty', min: -2, max: 2, step: 'any' },
} as const;

export type SamplingName = keyof typeof SAMPLING;

export interface EditedCall {
  model: string;
  messages: EditedMessage[];
  tools: EditedTool[];
  /** `auto`, `none`, `required`, or `tool:` and a name; empty for the provider's default. */
  toolChoice: string;
  /** JSON; empty for text. */
  format: string;
  sampling: Partial<Record<SamplingName, string>>;
  /** One stop sequence per line. */
  stop: string;
}

let lastId = 0;
export const newId = () => ++lastId;

/** `templates` are the texts of the call's prompt files, in order; undefined for those that no longer exist. */
export function editedFrom(call: RunCall, models: string[], templates: (string | undefined)[]): EditedCall {
  const { model, messages, temperature, max_tokens, stop = [], tools = [], response_format } = call;
  return {
    model: models.includes(model) ? model : (models[0] ?? ''),
    messages: messages.map(({ role, content, text = content, tool_calls, tool_call_id = '' }, index) => ({
      ...{ id: newId(), role, text, toolCallId: tool_call_id },
      toolCalls: tool_calls ? json(tool_calls) : '',
      from: promptIn(call, index)?.name,
      template: text === content ? templateIn(call, index, templates) : undefined,
    })),
    tools: tools.map(toolFrom),
    toolChoice: choiceFrom(call.tool_choice),
    format: response_format ? json(response_format) : '',
    sampling: { temperature: numberText(temperature), max_tokens: numberText(max_tokens) },
    stop: stop.join('\n'),
  };
}

/** Reads the text of each prompt file, in the version of the run. Undefined for files that can't be rendered again. */
export function readTemplates({ prompts }: RunCall): Promise<(string | undefined)[]> {
  return Promise.all(
    prompts.map(async ({ filename: file, revision_id: revision, version, place, variables }) => {
      if (!place || !variables) return undefined;
      const read = readPrompt({ revision, file }, version ?? undefined);
      return read.then(
        ({ text }) => text,
        // The version is no longer kept.
        () => undefined,
      );
    }),
  );
}

function templateIn(
  call: RunCall,
  message: number,
  templates: (string | undefined)[],
): EditedTemplate | undefined {
  const found = promptIn(call, message);
  const original = found && templates[found.at];
  if (!found || original === undefined) return undefined;
  const { place, variables, version } = found.prompt;
  if (!place || !variables) return undefined;
  const content = call.messages[message]?.content ?? '';
  return {
    ...{ name: found.name, version, original, text: original, variables, typed: {}, isSent: true },
    around: {
      before: content.slice(0, place.start),
      rendered: content.slice(place.start, place.end),
      after: content.slice(place.end),
    },
  };
}

/** The first prompt file whose text is in the message. */
function promptIn({ prompts }: RunCall, message: number) {
  const at = prompts.findIndex(({ place }) => place?.message === message);
  const prompt = prompts[at];
  return prompt && { at, prompt, name: { revision: prompt.revision_id, file: prompt.filename } };
}

function toolFrom(tool: Record<string, unknown>): EditedTool {
  const { name, description, parameters } = (tool.function ?? {}) as Record<string, unknown>;
  return {
    id: newId(),
    name: typeof name === 'string' ? name : '',
    description: typeof description === 'string' ? description : '',
    schema: json(parameters ?? { type: 'object', properties: {} }),
  };
}

function choiceFrom(choice: unknown): string {
  if (typeof choice === 'string') return choice;
  const { function: called } = (choice ?? {}) as { function?: { name?: unknown } };
  return typeof called?.name === 'string' ? `tool:${called.name}` : '';
}

function numberText(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
