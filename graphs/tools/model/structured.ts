/** Structured output: JSON that fits a schema, from providers that know `json_schema`, tools, JSON mode or none. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { SkeinError } from '../../../state/errors.ts';
import { type CallContext, type Called, callModel, type Line } from './call.ts';
import type { CompletionRequest } from './endpoint.ts';
import { toProviderError } from './provider-error.ts';

export type Mode = 'json_schema' | 'tool' | 'json';

export interface Extraction<T extends TSchema> {
  /** Names the shape; at most 64 of `[a-zA-Z0-9_-]`. */
  name: string;
  schema: T;
}

/** Which mode worked last for a model, so that a provider is asked for what it lacks only once. */
export type Modes = Map<string, Mode>;

const ORDER: Mode[] = ['json_schema', 'tool', 'json'];

/**
 * Goes down from the strictest mode where the provider refuses it, or answers as if it had not seen it; an answer that
 * is JSON and breaks the schema gets one repair, with what is wrong. Throws MODEL_CALL_FAILED when nothing fits.
 */
export async function extract<T extends TSchema>(
  chain: Line[],
  request: CompletionRequest,
  { name, schema }: Extraction<T>,
  { context, modes }: { context: CallContext; modes: Modes },
): Promise<{ value: Static<T>; model: string }> {
  const model = chain[0]?.endpoint.model ?? '';
  const configured = chain[0]?.endpoint.options.structured_output ?? 'auto';
  const candidates = configured === 'auto' ? ORDER.slice(ORDER.indexOf(modes.get(model) ?? 'json_schema')) : [configured];
  let complaint: string | undefined;
  let repaired = false;
  for (let mode = candidates.shift(); mode !== undefined; ) {
    const answer = await ask(chain, withFormat(request, mode, { name, schema }, complaint), context);
    if (answer !== 'unsupported') {
      const found = readJson(answer.toolArguments ?? answer.text);
      complaint = found === undefined ? 'the answer is not JSON' : complaintOf(schema, found);
      if (complaint === undefined) {
        modes.set(model, mode);
        return { value: found as Static<T>, model: answer.model };
      }
      // JSON of a wrong shape: the mode is understood, so one more try in it. Prose: the mode was not.
      const again = found !== undefined || candidates.length === 0;
      if (again && repaired) break;
      if (again) {
        repaired = true;
        continue;
      }
    }
    mode = candidates.shift();
  }
  throw new SkeinError('MODEL_CALL_FAILED', {
    detail: `Model '${model}': no answer of the shape '${name}'${complaint ? ` (${complaint})` : ''}`,
  });
}

async function ask(chain: Line[], request: CompletionRequest, context: CallContext): Promise<Called | 'unsupported'> {
  try {
    return await callModel(chain, request, context);
  } catch (error) {
    if (error instanceof SkeinError && error.cause && toProviderError(error.cause).unsupported) return 'unsupported';
    throw error;
  }
}

function withFormat(
  request: CompletionRequest,
  mode: Mode,
  { name, schema }: Extraction<TSchema>,
  complaint: string | undefined,
): CompletionRequest {
  const messages = [...request.messages];
  if (mode === 'json') {
    const text = `Answer with one JSON object only, no other text. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
    messages.unshift({ role: 'system', content: text });
  }
  if (complaint) {
    messages.push({ role: 'user', content: `Your last answer could not be used: ${complaint}. Answer again.` });
  }
  return { ...request, messages, format: FORMATS[mode](name, schema) };
}

const FORMATS: Record<Mode, (name: string, schema: TSchema) => Record<string, unknown>> = {
  json_schema: (name, schema) => ({
    response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } },
  }),
  tool: (name, parameters) => ({
    tools: [{ type: 'function', function: { name, description: `Gives the ${name}.`, parameters } }],
    tool_choice: { type: 'function', function: { name } },
  }),
  json: () => ({ response_format: { type: 'json_object' } }),
};

/** The JSON object in a text, which may stand in a code fence or between words; undefined where there is none. */
function readJson(text: string): unknown {
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // The next candidate, or none.
    }
  }
  return undefined;
}

function complaintOf(schema: TSchema, value: unknown): string | undefined {
  const error = Value.Errors(schema, value).First();
  return error && `${error.path || '/'}: ${error.message}`;
}
