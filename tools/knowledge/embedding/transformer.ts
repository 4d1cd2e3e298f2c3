/** Runs a transformer model from a local folder with the package that is installed there. */
import { basename } from 'node:path';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import type { Embedder } from './embedder.ts';
import { findModel } from './transformer-files.ts';
import type { Answer, Task } from './transformer-worker.ts';
import { normalised } from './vector.ts';

// Suitable for most models that are trained for search. The threshold of the workflow takes precedence.
const THRESHOLD = 0.3;
const BATCH = 8;

/** Throws CONFIGURATION_ERROR if the folder lacks a part of the model, or the package that runs it. */
export async function transformerEmbedder(folder: string): Promise<Embedder> {
  const { version, prefixes, pooling, ...files } = findModel(folder);
  const { ask, end } = startWorker();
  const loaded = await ask({ do: 'load', folder, pooling, ...files });
  if (loaded.is !== 'loaded') {
    end();
    throw unusable(loaded);
  }

  return {
    name: `transformer:${basename(folder)}:${version}`,
    threshold: THRESHOLD,
    weight: 1,
    async embed(texts, use, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        signal?.throwIfAborted();
        const batch = texts.slice(at, at + BATCH).map((text) => prefixes[use] + text.toWellFormed());
        vectors.push(...rowsOf(await ask({ do: 'embed', texts: batch }), batch.length));
      }
      return vectors;
    },
  };
}

/** A thread for the model, whose long computations would block the service. It handles one task at a time. */
function startWorker(): { ask(task: Task): Promise<Answer>; end(): void } {
  const worker = new Worker(new URL('./transformer-worker.ts', import.meta.url).href);
  // The thread must not keep the process alive.
  worker.unref();
  const waiting: ((answer: Answer) => void)[] = [];
  let broken: Answer | undefined;
  worker.onmessage = ({ data }: MessageEvent<Answer>) => waiting.shift()?.(data);
  worker.onerror = ({ message }) => {
    broken = { is: 'failed', reason: message };
    for (const answer of waiting.splice(0)) answer(broken);
  };
  return {
    ask(task) {
      if (broken) return Promise.resolve(broken);
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.push(resolve);
      worker.postMessage(task);
      return promise;
    },
    end: () => worker.terminate(),
  };
}

function rowsOf(answer: Answer, count: number): Float32Array[] {
  if (answer.is !== 'embedded') {
    const cause = answer.is === 'failed' ? new Error(answer.reason) : undefined;
    throw new SkeinError('MODEL_CALL_FAILED', { detail: 'The local embedding model failed', cause });
  }
  const { data, dims } = answer;
  const [rows, dimension = 0, ...more] = dims;
  if (rows !== count || dimension === 0 || more.length > 0)
    throw new SkeinError('MODEL_CALL_FAILED', {
      detail: 'The local embedding model returned no vectors',
    });
  return Array.from({ length: count }, (_, row) =>
    normalised(data.slice(row * dimension, (row + 1) * dimension)),
  );
}

function unusable(answer: Answer): SkeinError {
  const error = configurationError(
    'knowledge_base.embedding_folder',
    'the model in the folder cannot be loaded; see the log for the cause',
  );
  if (answer.is === 'failed') error.cause = new Error(answer.reason);
  return error;
}
