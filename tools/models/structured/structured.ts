/** Structured output: JSON that fits a schema, from providers that support `json_schema`, tools, JSON mode or none of them. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { SkeinError } from '../../../state/errors.ts';
import { type CallContext, type Called, type GuardedEndpoint, withFallbacks } from '../call/call.ts';
import { callTraced } from '../call/traced-call.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { CompletionRequest, WireMessage } from '../provider/endpoint.ts';
import { structuredAnswer } from './structured-answer.ts';

/** In mode `prompt`, only the messages contain the schema, so there is no field that a provider could reject. */
export type Mode = 'json_schema' | 'tool' | 'json' | 'prompt';

export interface Extraction<T extends TSchema> {
  /** The name of the schema: at most 64 characters of `[a-zA-Z0-9_-]`. */
  name: string;
  schema: T;
  /** Validates a value against a schema that isn't TypeBox's. `message` must not quote the model. */
  complaint?(value: unknown): { path: string; message: string } | undefined;
}

/** The mode that last worked for a model, so that an unsupported mode is only tried once. */
export type Modes = Map<string, Mode>;

const ORDER: Mode[] = ['json_schema', 'tool', 'json', 'prompt'];

/**
 * Begins with the strictest mode, and falls back to the next one if the provider rejects or ignores it. If the JSON doesn't fit
 * the schema, sends one repair request with the error. If the provider may reject every field, asks in plain text. If a model
 * returns nothing usable in any mode, tries its fallbacks. Throws MODEL_CALL_FAILED if no value fits.
 */
export async function extract<T extends TSchema>(
  chain: GuardedEndpoint[],
  request: CompletionRequest,
  shape: Extraction<T>,
  tools: { context: CallContext; modes: Modes },
): Promise<{ value: Static<T>; model: string }> {
  return withFallbacks(chain, (guarded) => extractFrom(guarded, request, shape, tools));
}

async function extractFrom<T extends TSchema>(
  guarded: GuardedEndpoint,
  request: CompletionRequest,
  shape: Extraction<T>,
  { context, modes }: { context: CallContext; modes: Modes },
): Promise<{ value: Static<T>; model: string }> {
  const { model } = guarded.endpoint;
  let order = modesOf(guarded, modes);
  const ask = async (mode: Mode, unusable?: Reading) =>
    read(shape, await callTraced([guarded], withFormat(request, mode, shape, unusable), context));
  let reading: Reading | undefined;
  let refusal: unknown;
  for (let mode = order.shift(); mode !== undefined; mode = order.shift()) {
    try {
      reading = await ask(mode);
    } catch (error) {
      const next = nextAfter(error, mode, order);
      // If plain text is also rejected, the mode was not the reason.
      if (next === undefined) throw refusal ?? error;
      if (unsupportedIn(error) === 'unnamed') refusal = error;
      order = next;
      continue;
    }
    // Prose means that the provider ignores the fields that ask for JSON, so try the next mode. In the last two modes, the
    // messages ask for it.
    if (reading.prose && order.length > 0 && mode !== 'json') continue;
    if (reading.complaint !== undefined) reading = await ask(mode, reading);
    if (reading.complaint !== undefined) break;
    modes.set(model, mode);
    return { value: reading.value as Static<T>, model };
  }
  throw new SkeinError('MODEL_CALL_FAILED', {
    detail: `Model '${model}' returned no valid '${shape.name}' (${reading?.complaint})`,
  });
}

function modesOf({ endpoint }: GuardedEndpoint, modes: Modes): Mode[] {
  const { model, options } = endpoint;
  if (options.structured_output !== 'auto') return [options.structured_output];
  return ORDER.slice(ORDER.indexOf(modes.get(model) ?? 'json_schema'));
}

/** The remaining modes after a failure; undefined if no other mode can help. */
function nextAfter(error: unknown, mode: Mode, remaining: Mode[]): Mode[] | undefined {
  const unsupported = unsupportedIn(error);
  if (mode === 'prompt' || unsupported === undefined) return undefined;
  return unsupported === 'unnamed' || remaining.length === 0 ? ['prompt'] : remaining;
}

function unsupportedIn(error: unknown): ProviderError['unsupported'] {
  const cause = error instanceof SkeinError ? error.cause : undefined;
  return cause instanceof ProviderError ? cause.unsupported : undefined;
}

/** A parsed answer, and its errors. */
interface Reading {
  text: string;
  value: unknown;
  /** Whether the answer contains no JSON. */
  prose: boolean;
  /** Why the value doesn't fit; undefined if it does. Unlike `path`, it doesn't quote the model. */
  complaint: string | undefined;
  path: string;
}

function read({ schema, complaint }: Extraction<TSchema>, { toolCalls: [call], text }: Called): Reading {
  const answer = call?.arguments ?? text;
  const value = structuredAnswer(answer, schema);
  const prose = value === undefined;
  if (prose) return { text: answer, value, prose, complaint: 'the answer is not JSON', path: '' };
  const error = complaint ? complaint(value) : Value.Errors(schema, value).First();
  return { text: answer, value, prose, complaint: error?.message, path: error?.path || '/' };
}

// Enough of the answer to see the error.
const MAX_QUOTED = 4_000;

function withFormat(
  request: CompletionRequest,
  mode: Mode,
  { name, schema }: Extraction<TSchema>,
  unusable: Reading | undefined,
): CompletionRequest {
  const before: WireMessage[] = [];
  const after: WireMessage[] = [];
  const wanted = `one JSON object only, no other text. It must fit this JSON Schema:\n${JSON.stringify(schema)}`;
  if (mode === 'json' || mode === 'prompt') before.push({ role: 'system', content: `Answer with ${wanted}` });
  if (unusable) {
    const { text, path, complaint } = unusable;
    after.push({ role: 'assistant', content: text.slice(0, MAX_QUOTED) });
    after.push({
      role: 'user',
      content: `This cannot be used: ${path} ${complaint}. Answer again with ${wanted}`,
    });
  }
  const messages = [...before, ...request.messages, ...after];
  const sent = request.sent && [...before, ...request.sent, ...after];
  return { ...request, messages, ...(sent && { sent }), format: FORMATS[mode](name, schema) };
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
  prompt: () => ({}),
};
