/** Validates an edited call and builds its request. */
import { previewPrompt } from '../data/prompts.ts';
import type { ReplayRequest } from '../data/runs/replay.ts';
import type { RunCall } from '../data/runs/runs.ts';
import { type JsonProblem, readJson } from '../parts/json/json-text.ts';
import type { EditedCall, EditedMessage, EditedTemplate, SamplingName } from './edited-call.ts';
import { templateVariables } from './template-variables.ts';

/** Problems by field: `format`, `message:<id>` for tool calls, `tool:<id>` for a schema. */
export type Problems = Record<string, JsonProblem>;

export function problemsOf({ messages, tools, format }: EditedCall): Problems {
  const fields = [
    ['format', format, 'object'] as const,
    ...messages.map(({ id, toolCalls }) => [`message:${id}`, toolCalls, 'list'] as const),
    ...tools.map(({ id, schema }) => [`tool:${id}`, schema, 'object'] as const),
  ];
  const found = fields.flatMap(([field, text, kind]): [string, JsonProblem][] => {
    const problem = text.trim() === '' ? undefined : problemOf(text, kind);
    return problem ? [[field, problem]] : [];
  });
  return Object.fromEntries(found);
}

function problemOf(text: string, kind: 'object' | 'list'): JsonProblem | undefined {
  const read = readJson(text);
  if (read.problem) return read.problem;
  const { value } = read;
  const fits = kind === 'list' ? Array.isArray(value) : isObject(value);
  return fits
    ? undefined
    : { message: `Must be ${kind === 'list' ? 'a list' : 'an object'}.`, at: text.search(/\S/) };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Builds the request. Renders changed templates and throws the service's error if one is invalid. */
export async function requestOf(edited: EditedCall, recorded: RunCall, n: number): Promise<ReplayRequest> {
  const { model, tools, toolChoice, format, sampling, stop } = edited;
  const stops = stop.split('\n').filter((text) => text !== '');
  const numbers = Object.entries(sampling).filter(([, text]) => text.trim() !== '');
  const request = {
    ...{ model, n, task: recorded.task, messages: await Promise.all(edited.messages.map(sentMessage)) },
    ...(tools.length > 0 && { tools: tools.map(sentTool) }),
    ...(toolChoice !== '' && tools.length > 0 && { tool_choice: sentChoice(toolChoice) }),
    ...(tools.length > 0 &&
      recorded.parallel_tool_calls !== undefined && {
        parallel_tool_calls: recorded.parallel_tool_calls,
      }),
    ...(format.trim() !== '' && { response_format: parsed(format) }),
    ...(Object.fromEntries(numbers.map(([name, text]) => [name, Number(text)])) as Partial<
      Record<SamplingName, number>
    >),
    ...(stops.length > 0 && { stop: stops }),
  };
  return request as ReplayRequest;
}

async function sentMessage({ role, text, toolCalls, toolCallId, template }: EditedMessage) {
  return {
    role,
    content: template?.isSent ? await renderedText(template) : text,
    ...(role === 'assistant' && toolCalls.trim() !== '' && { tool_calls: parsed(toolCalls) }),
    ...(role === 'tool' && toolCallId !== '' && { tool_call_id: toolCallId }),
  };
}

export function isTemplateChanged({ text, original, typed }: EditedTemplate): boolean {
  return text !== original || Object.keys(typed).length > 0;
}

async function renderedText(template: EditedTemplate): Promise<string> {
  const { name, text, around } = template;
  if (!isTemplateChanged(template)) return around.before + around.rendered + around.after;
  const { values } = templateVariables(template);
  if (!values) throw new Error(`A variable of ${name.file} isn't valid JSON.`);
  const rendered = await previewPrompt(name, text, values);
  return around.before + rendered.text + around.after;
}

function sentTool({ name, description, schema }: EditedCall['tools'][number]) {
  return {
    type: 'function' as const,
    function: {
      ...{ name, ...(description !== '' && { description }) },
      ...(schema.trim() !== '' && { parameters: parsed(schema) as Record<string, unknown> }),
    },
  };
}

function sentChoice(choice: string) {
  const [, name] = /^tool:(.*)$/.exec(choice) ?? [];
  return name === undefined ? choice : { type: 'function', function: { name } };
}

/** Parses a field that was validated. */
function parsed(text: string): unknown {
  return JSON.parse(text);
}
