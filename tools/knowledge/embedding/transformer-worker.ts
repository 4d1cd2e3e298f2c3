/** The thread that runs a transformer model: loads it once, then embeds texts. */
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ModelFiles } from './transformer-files.ts';

export type Task =
  | ({ do: 'load'; folder: string } & Pick<ModelFiles, 'entry' | 'dtype' | 'pooling'>)
  | { do: 'embed'; texts: string[] };

/** `data` contains the rows one after another. */
export type Answer =
  | { is: 'loaded' }
  | { is: 'embedded'; data: Float32Array; dims: number[] }
  | { is: 'failed'; reason: string };

/** The part of @huggingface/transformers that is used. */
interface Transformers {
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(task: 'feature-extraction', model: string, options: { dtype: string }): Promise<Extractor>;
}

type Extractor = (texts: string[], options: { pooling: string }) => Promise<Tensor>;

interface Tensor {
  data: Float32Array;
  dims: number[];
}

interface Model {
  extract: Extractor;
  pooling: ModelFiles['pooling'];
}

declare const self: Worker;

let model: Model | undefined;
let work = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<Task>) => {
  work = work.then(async () => self.postMessage(await answer(data)));
};

async function answer(task: Task): Promise<Answer> {
  try {
    if (task.do === 'load') {
      model = await load(task);
      return { is: 'loaded' };
    }
    if (!model) throw new Error('no model is loaded');
    const { data, dims } = await model.extract(task.texts, { pooling: model.pooling });
    return { is: 'embedded', data, dims };
  } catch (error) {
    return { is: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

async function load({ folder, entry, dtype, pooling }: Extract<Task, { do: 'load' }>): Promise<Model> {
  const { env, pipeline } = (await import(pathToFileURL(entry).href)) as Transformers;
  // No downloads: a file that the folder lacks is an error.
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = dirname(folder);
  return { extract: await pipeline('feature-extraction', basename(folder), { dtype }), pooling };
}
