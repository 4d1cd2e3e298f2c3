/** A recorded call as it is edited: all fields as they are typed. */
import { type PromptName, readPrompt } from '../data/prompts.ts';
import type { RunCall } from '../data/runs.ts';

export type Role = RunCall['messages'][number]['role'];

export const ROLES: Role[] = ['system', 'user', 'assistant', 'tool'];

export interface EditedMessage {
  /** Stays the same when messages are moved. */
  id: number;
  role: Role;
  text: string;
  /** JSON; empty for none. */
  toolCalls: string;
  toolCallId: string;
  /** The prompt file that gave the text, and that file itself where it can be rendered again. */
  from?: PromptName | undefined;
  template?: EditedTemplate | undefined;
}

export interface EditedTemplate {
  name: PromptName;
  /** As the run has used it; null where that cannot be told. */
  version: number | null;
  /** The file's text at that version. */
  original: string;
  text: string;
  /** By name, as recorded. */
  variables: Record<string, unknown>;
  /** As typed, by name. */
  typed: Record<string, string>;
  /** What the message has around it, and what it gave. */
  around: { before: string; rendered: string; after: string };
  /** The template is sent; otherwise the message's text is. */
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
  max_tokens: { label: 'Longest answer (tokens)', min: 1, max: 10_000_000, step: 1 },
  seed: { label: 'Seed', min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, step: 1 },
  frequency_penalty: { label: 'Frequency penalty', min: -2, max: 2, step: 'any' },
  presence_penalty: { label: 'Presence penalty', min: -2, max: 2, step: 'any' },
} as const;

export type SamplingName = keyof typeof SAMPLING;

export interface EditedCall {
  model: string;
  messages: EditedMessage[];
  tools: EditedTool[];
  /** `auto`, `none`, `required`, or `tool:` and a name; empty: the provider's default. */
  toolChoice: string;
  /** JSON; empty: text is asked for. */
  format: string;
  sampling: Partial<Record<SamplingName, string>>;
  /** A text a line. */
  stop: string;
}

let lastId = 0;
export const newId = () => ++lastId;

/** `templates` are the texts of the call's prompt files, in their order; undefined where one is not there any more. */
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

/** Of each prompt file that can be edited with its variables, the text as the run has used it. */
export function readTemplates({ prompts }: RunCall): Promise<(string | undefined)[]> {
  return Promise.all(
    prompts.map(async ({ filename: file, revision_id: revision, version, place, variables }) => {
      if (!place || !variables) return undefined;
      const read = readPrompt({ revision, file }, version ?? undefined);
      return read.then(
        ({ text }) => text,
        // A version that is not kept any more.
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

/** The first of those whose text is in a message. */
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
