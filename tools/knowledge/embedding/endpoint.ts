/** An embedding model behind an OpenAI-compatible endpoint. */
import { readAnswer } from '../../models/answer/answer-body.ts';
import { callWithRetries } from '../../models/call/attempts.ts';
import { breaker } from '../../models/call/breaker.ts';
import { ProviderError, toProviderError } from '../../models/errors/provider-error.ts';
import type { ModelOptions } from '../../models/options.ts';
import { openClient } from '../../models/provider/client.ts';
import type { Fetch } from '../../models/provider/provider-fetch.ts';
import { batchesOf, cut } from './batches.ts';
import type { Embedder } from './embedder.ts';
import { readVectors } from './endpoint-answer.ts';

// Suitable for most models that are trained for search. The threshold of the workflow takes precedence.
const THRESHOLD = 0.3;

/**
 * Sends batches one after another, each with the retries and the timeout in the model's options. `embed` throws
 * MODEL_CALL_FAILED or the signal's reason. `fetch` replaces the network; `place` is the path of the options in the settings.
 */
export function endpointEmbedder(
  options: ModelOptions,
  { fetch, settingPath }: { fetch?: Fetch | undefined; settingPath?: string } = {},
): Embedder {
  let client: ReturnType<typeof openClient> | undefined;
  const circuit = breaker();
  // The dimension of all vectors. A vector of another dimension would break the index.
  let dimension: number | undefined;

  async function send(input: string[], signal: AbortSignal): Promise<Response> {
    client ??= openClient(options, fetch);
    const { embeddings } = await client;
    try {
      // By default, the client requests base64, which not every server supports.
      const request = { model: options.model, input, encoding_format: 'float' as const };
      return await embeddings.create(request, { signal }).asResponse();
    } catch (error) {
      throw toProviderError(error, options.api_key);
    }
  }

  async function attempt(input: string[], signal: AbortSignal): Promise<Float32Array[]> {
    try {
      let vectors: Float32Array[] | undefined;
      await readAnswer(await send(input, signal), (json) => {
        vectors = readVectors(json, { count: input.length, dimension });
      });
      if (!vectors) throw new ProviderError('malformed', "the provider's answer is empty");
      dimension = vectors[0]?.length;
      return vectors;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  return {
    name: `endpoint:${options.model}`,
    threshold: THRESHOLD,
    weight: 1,
    async embed(texts, _use, signal = NEVER) {
      const vectors: Float32Array[] = [];
      for (const batch of batchesOf(texts.map(cut))) {
        const callee = { options, settingPath, breaker: circuit, signal };
        vectors.push(...(await callWithRetries(callee, (within) => attempt(batch, within))));
      }
      return vectors;
    },
  };
}

const NEVER = new AbortController().signal;
