/** Every configured chat model, by name, each with its fallbacks; without one the built-in offline model. */
import type { TSchema } from '@sinclair/typebox';
import type { Tracing } from '../telemetry/tracing.ts';
import { type Breaker, breaker } from './breaker.ts';
import type { CallContext, Called, Line } from './call.ts';
import { type CompletionRequest, openEndpoint } from './endpoint.ts';
import { OFFLINE_MODEL, offlineFetch } from './offline/offline.ts';
import type { ModelOptions, Price } from './options.ts';
import type { Fetch } from './provider-fetch.ts';
import { type Extraction, extract, type Modes } from './structured.ts';
import { callTraced } from './traced-call.ts';

/** A chat model as agents use it. */
export interface ChatModel {
  readonly name: string;
  /** Text, token by token through `context.onToken`. */
  answer(request: CompletionRequest, context: CallContext): Promise<Called>;
  /** A value that fits the schema. */
  extract<T extends TSchema>(
    request: CompletionRequest,
    shape: Extraction<T>,
    context: CallContext,
  ): ReturnType<typeof extract<T>>;
}

export interface Models {
  /** True when nothing is configured and the built-in model answers. */
  readonly offline: boolean;
  /** The model of that name, or the first one. Undefined when no chat model has the name. */
  chat(name?: string): ChatModel | undefined;
  /**
   * Each model's breaker: anything but `closed` means that its provider is down. `problem` says why its last call failed, if
   * the settings are probably wrong.
   */
  states(): { model: string; state: ReturnType<Breaker['state']>; problem?: string }[];
  /** What was found out about a chat model without calling it; its next successful call proves otherwise. */
  report(model: string, problem: string): void;
  /** What a model of that name costs; undefined where none is configured, or it has no price. */
  priceOf(name: string): Price | undefined;
}

/** `fetch` replaces the network: unit tests script the provider there. `tracing`: where calls are told as spans. */
export function openModels(options: ModelOptions[], fetch?: Fetch, tracing?: Tracing): Models {
  const configured = options.filter(({ role }) => role === 'chat');
  const offline = configured.length === 0;
  const lines = new Map<string, Line>();
  const modes: Modes = new Map();
  if (offline) {
    const endpoint = openEndpoint(OFFLINE_OPTIONS, { fetch: offlineFetch(), offline });
    lines.set(OFFLINE_MODEL, { endpoint, breaker: breaker() });
  }
  for (const entry of configured) {
    const endpoint = openEndpoint(entry, { fetch, place: `models[${options.indexOf(entry)}]` });
    lines.set(entry.model, { endpoint, breaker: breaker() });
  }

  function chat(name = lines.keys().next().value ?? ''): ChatModel | undefined {
    const line = lines.get(name);
    if (!line) return undefined;
    const fallbacks = (line.endpoint.options.fallbacks ?? []).flatMap(
      (fallback) => lines.get(fallback) ?? [],
    );
    const chain = [line, ...fallbacks];
    return {
      name,
      answer: (request, context) => callTraced(chain, request, { ...context, tracing }),
      extract: (request, shape, context) =>
        extract(chain, request, shape, { context: { ...context, tracing }, modes }),
    };
  }

  return {
    offline,
    chat,
    states: () =>
      Array.from(lines, ([model, { breaker, problem }]) => ({
        model,
        state: breaker.state(),
        ...(problem !== undefined && { problem }),
      })),
    priceOf: (name) => lines.get(name)?.endpoint.options.price,
    report(model, problem) {
      const line = lines.get(model);
      if (line) line.problem = problem;
    },
  };
}

/** Through the very client path of every other model; the address is never opened. */
const OFFLINE_OPTIONS: ModelOptions = {
  model: OFFLINE_MODEL,
  role: 'chat',
  base_url: 'http://offline.invalid/v1',
  timeout_seconds: 60,
  max_retries: 0,
  structured_output: 'json_schema',
  fallbacks: [],
};
