/** The folder of a transformer model with a package whose vectors encode how it was called. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface ModelFolder {
  path: string;
  write(name: string, content: string): void;
  delete(name: string): void;
}

const PACKAGE = 'node_modules/@huggingface/transformers';

/** Its vectors are: characters of the text, of the prefix before `: `, 1 for the pooling `cls`, 1 if remote models are off. */
const SCRIPT = `
export const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: '' };
export async function pipeline(task, model, { dtype }) {
  const { readFileSync } = await import('node:fs');
  const config = JSON.parse(readFileSync(env.localModelPath + '/' + model + '/config.json', 'utf8'));
  if (config.broken) throw new Error('no such model type');
  return async (texts, { pooling }) => {
    if (texts.some((text) => text.includes('explode'))) throw new Error('out of memory');
    const rows = texts.map((text) => [text.length, text.indexOf(': ') + 1, pooling === 'cls' ? 1 : 0, env.allowRemoteModels ? 0 : 1]);
    return { data: Float32Array.from(rows.flat()), dims: config.words ? [texts.length, 1, 4] : [texts.length, 4] };
  };
}`;

export function modelFolder(): ModelFolder {
  const path = mkdtempSync(join(tmpdir(), 'skein-model-'));
  const write = (name: string, content: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  };
  for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) write(name, '{}');
  write('onnx/model.onnx', 'weights');
  write(`${PACKAGE}/package.json`, '{"name":"@huggingface/transformers","type":"module","main":"index.js"}');
  write(`${PACKAGE}/index.js`, SCRIPT);
  return { path, write, delete: (name) => rmSync(join(path, name), { recursive: true, force: true }) };
}
