/** The configured chat models by name, with their fallbacks; the built-in offline model if none is configured. */
import type { TSchema } from '@sinclair/typebox';
import type { Tracing } from '../telemetry/tracing.ts';
import { type Breaker, breaker } from './call/breaker.ts';
import type { CallContext, Called, GuardedEndpoint } from './call/call.ts';
import { callTraced } from './call/traced-call.ts';
import { OFFLINE_MODEL } from './offline/name.ts';
import type { ModelOptions, Price } from './options.ts';
import { type CompletionRequest, openEndpoint } from './provider/endpoint.ts';
import type { Fetch } from './provider/provider-fetch.ts';
import { type Extraction, extract, type Modes } from './structured/structured.ts';

/** A chat model for agents. */
export interface ChatModel {
  readonly name: string;
  /** Returns text, and streams its tokens to `context.onToken`. */
  answer(request: CompletionRequest, context: CallContext): Promise<Called>;
  /** Returns a value that fits the schema. */
  extract<T extends TSchema>(
    request: CompletionRequest,
    shape: Extraction<T>,
    context: CallContext,
  ): ReturnType<typeof extract<T>>;
}

export interface Models {
  /** True if no chat model is configured, so that the built-in model answers. */
  readonly offline: boolean;
  /** The model with that name, or the first one. Undefined if no chat model has the name. */
  chat(name?: string): ChatModel | undefined;
  /**
   * The state of each model's breaker. A state other than `closed` means that the provider is down. `problem` is set if the
   * last call failed because of the settings.
   */
  states(): { model: string; state: ReturnType<Breaker['state']>; problem?: string }[];
  /** Reports a problem that was found without a call. The model's next successful call clears it. */
  report(model: string, problem: string): void;
  /** The price of the model with that name; undefined if it isn't configured or has no price. */
  priceOf(name: string): Price | undefined;
}

/** Unit tests replace `fetch` to script the provider. If `tracing` is set, calls are reported as spans. */
export function openModels(options: ModelOptions[], fetch?: Fetch, tracing?: Tracing): Models {
  const configured = options.filter(({ role }) => role === 'chat');
  const offline = configured.length === 0;
  const endpoints = new Map<string, GuardedEndpoint>();
  const modes: Modes = new Map();
  if (offline) {
    const endpoint = openEndpoint(OFFLINE_OPTIONS, { fetch: offlineFetch, offline });
    endpoints.set(OFFLINE_MODEL, { endpoint, breaker: breaker() });
  }
  for (const entry of configured) {
    const endpoint = openEndpoint(entry, { fetch, settingPath: `models[${options.indexOf(entry)}]` });
    endpoints.set(entry.model, { endpoint, breaker: breaker() });
  }

  function chat(name = endpoints.keys().next().value ?? ''): ChatModel | undefined {
    const guarded = endpoints.get(name);
    if (!guarded) return undefined;
    const fallbacks = (guarded.endpoint.options.fallbacks ?? []).flatMap(
      (fallback) => endpoints.get(fallback) ?? [],
    );
    const chain = [guarded, ...fallbacks];
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
      Array.from(endpoints, ([model, { breaker, problem }]) => ({
        model,
        state: breaker.state(),
        ...(problem !== undefined && { problem }),
      })),
    priceOf: (name) => endpoints.get(name)?.endpoint.options.price,
    report(model, problem) {
      const guarded = endpoints.get(model);
      if (guarded) guarded.problem = problem;
    },
  };
}

/** Loads the built-in model at its first call: its rules and word lists would take a twentieth of the service's start. */
const offlineFetch: Fetch = async (input, init) => {
  const { offlineFetch: open } = await import('./offline/offline.ts');
  return open()(input, init);
};

/** Uses the same client code as every other model; the address is never opened. */
const OFFLINE_OPTIONS: ModelOptions = {
  model: OFFLINE_MODEL,
  role: 'chat',
  base_url: 'http://offline.invalid/v1',
  timeout_seconds: 60,
  max_retries: 0,
  structured_output: 'json_schema',
  fallbacks: [],
};
