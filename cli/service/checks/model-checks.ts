/** Whether the providers of the configured models answer, with a request that costs nothing. */

import type { LoadedSettings } from '../../../settings/load.ts';
import { withoutSecret } from '../../../settings/redact.ts';
import { readText } from '../../../tools/models/answer/body-text.ts';
import { OFFLINE_MODEL } from '../../../tools/models/offline/name.ts';
import { providerFetch } from '../../../tools/models/provider/provider-fetch.ts';
import { type Check, failure, ok, warning } from './check.ts';

type Settings = LoadedSettings['settings'];
type Model = Settings['models'][number];

const WITHIN_MS = 4_000;
// Aggregators list hundreds of models, each with a long description.
const MAX_BYTES = 4 * 1024 * 1024;

/** A row for each model, and for each role without one. */
export async function modelChecks({ models, knowledge_base }: Settings): Promise<Check[]> {
  const rows = models.map((model, at) => modelCheck(model, `models[${at}]`));
  const has = (role: Model['role']) => models.some((model) => model.role === role);
  return [
    ...(has('chat') ? [] : [offline()]),
    ...(await Promise.all(rows)),
    ...(has('embedding') || knowledge_base.mode === 'cloud' ? [] : [builtInEmbedder(knowledge_base)]),
  ];
}

function offline(): Check {
  return warning(
    'chat model',
    `${OFFLINE_MODEL}, built in: rules, not a language model`,
    'set LLM_PROVIDER_API_KEY or LLM_PROVIDER_BASE_URL to use one',
  );
}

function builtInEmbedder({ embedding_folder: folder }: Settings['knowledge_base']): Check {
  return ok(
    'embedding model',
    folder === undefined ? 'built in: words and their parts' : `a model in ${folder}`,
  );
}

/** Requests the provider's list of models. `path` is the path of the model's settings. */
export async function modelCheck(options: Model, path: string): Promise<Check> {
  const name = `${options.role} model`;
  const base = (options.base_url ?? '').replace(/\/+$/, '');
  const label = `${options.model} at ${withoutSecret({ schema: undefined, value: base, path: '' })}`;
  const signal = AbortSignal.timeout(WITHIN_MS);
  const headers: Record<string, string> =
    options.api_key === undefined ? {} : { authorization: `Bearer ${options.api_key}` };
  try {
    const response = await providerFetch()(`${base}/models`, { headers, signal });
    const { status } = response;
    if (response.ok) return listed(await namesIn(response), { name, label, model: options.model, path });
    // The provider's error text may repeat the key.
    void response.body?.cancel().catch(() => {});
    if (status === 401 || status === 403)
      return failure(
        name,
        `${label}: the key is rejected (${status})`,
        `set a valid key in ${path}.api_key or LLM_PROVIDER_API_KEY`,
      );
    if (status === 404 || status === 405) return ok(name, `${label}: reachable`);
    if (status >= 300 && status < 400)
      return failure(
        name,
        `${label}: it redirects (${status}), and redirects are not followed`,
        `set the final address in ${path}.base_url`,
      );
    return warning(
      name,
      `${label}: reachable, but it returns ${status}`,
      'try again later, or check the provider',
    );
  } catch {
    const reason = signal.aborted ? `no answer within ${WITHIN_MS / 1000} s` : 'unreachable';
    return failure(
      name,
      `${label}: ${reason}`,
      `start the provider, or fix ${path}.base_url or LLM_PROVIDER_BASE_URL`,
    );
  }
}

interface CheckedModel {
  name: string;
  label: string;
  model: string;
  path: string;
}

function listed(names: string[], { name, label, model, path }: CheckedModel): Check {
  if (names.length === 0 || names.some((each) => each === model || each === `${model}:latest`))
    return ok(name, `${label}: reachable${names.length === 0 ? '' : ', model found'}`);
  return warning(
    name,
    `${label}: reachable, but it does not list this model`,
    `check ${path}.model or LLM_PROVIDER_MODEL against the ${names.length} models that it lists`,
  );
}

/** The model names of an OpenAI-compatible list; empty for any other response. */
async function namesIn({ body }: Response): Promise<string[]> {
  if (!body) return [];
  let text = '';
  await readText(body, (piece, bytes) => {
    text += piece;
    return bytes > MAX_BYTES;
  });
  try {
    const { data } = JSON.parse(text) as { data?: unknown };
    return Array.isArray(data) ? data.flatMap((each) => (typeof each?.id === 'string' ? [each.id] : [])) : [];
  } catch {
    return [];
  }
}
