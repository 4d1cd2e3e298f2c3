/** The embedder over a model in a folder: the required files, and how the model is called. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { SkeinError } from '../../../../state/errors.ts';
import { transformerEmbedder } from '../../../../tools/knowledge/embedding/transformer.ts';
import { detailOf, errorOf } from '../../models/scripted.ts';
import { type ModelFolder, modelFolder } from './model-folder.ts';
import { cosine } from './vectors.ts';

// Processes and their parsers take a while to start on a busy machine.
setDefaultTimeout(60_000);

const folders: string[] = [];
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

function folder(): ModelFolder {
  const made = modelFolder();
  folders.push(made.path);
  return made;
}

async function refusal(path: string): Promise<string> {
  const error = await errorOf(transformerEmbedder(path));
  if (!(error instanceof SkeinError)) throw new Error('no SkeinError', { cause: error });
  expect(error.code).toBe('CONFIGURATION_ERROR');
  expect(error.field).toBe('knowledge_base.embedding_folder');
  expect(error.message).not.toContain(path);
  return error.message.replace("Validation error in field 'knowledge_base.embedding_folder': ", '');
}

test('a missing folder is a configuration error', async () => {
  expect(await refusal('/nowhere/at/all')).toBe('the folder does not exist');
});

test.each(['config.json', 'tokenizer.json', 'tokenizer_config.json'])(
  'so is one without %s',
  async (name) => {
    const model = folder();
    model.delete(name);
    expect(await refusal(model.path)).toBe(`the folder has no ${name}`);
  },
);

test('a folder without weights is a configuration error', async () => {
  const model = folder();
  model.delete('onnx');
  expect(await refusal(model.path)).toBe(
    'the folder has no weights: onnx/model.onnx or onnx/model_quantized.onnx',
  );
});

test('without the package, the error says what to install and where, and nothing is installed', async () => {
  const model = folder();
  model.delete('node_modules');
  expect(await refusal(model.path)).toBe(
    'the package @huggingface/transformers is not installed in the folder: create a package.json with {} in it and run `bun add @huggingface/transformers` there',
  );
});

test('a damaged package and an unsupported model are configuration errors', async () => {
  const damaged = folder();
  damaged.write('node_modules/@huggingface/transformers/package.json', '{"exports":{"./other":"./x.js"}}');
  expect(await refusal(damaged.path)).toContain('is damaged');
  const unknown = folder();
  unknown.write('config.json', '{"broken":true}');
  expect(await refusal(unknown.path)).toBe(
    'the model in the folder cannot be loaded; see the log for the cause',
  );
  const unsettled = folder();
  unsettled.write('1_Pooling/config.json', '{');
  expect(await refusal(unsettled.path)).toBe('1_Pooling/config.json in the folder is not valid JSON');
});

test('texts become vectors in their order, and no model is downloaded', async () => {
  const embedder = await transformerEmbedder(folder().path);
  const texts = Array.from({ length: 20 }, (_, at) => 'x'.repeat(at + 1));
  const vectors = await embedder.embed(texts, 'passage');
  expect(vectors).toHaveLength(20);
  for (const [at, vector] of vectors.entries())
    expect(cosine(vector, Float32Array.of(at + 1, 0, 0, 1))).toBeCloseTo(1, 5);
});

test("the prefixes and the pooling are those of the model's training", async () => {
  const model = folder();
  model.write('1_Pooling/config.json', '{"pooling_mode_cls_token":true}');
  model.write('config_sentence_transformers.json', '{"prompts":{"query":"query: ","document":"passage: "}}');
  const embedder = await transformerEmbedder(model.path);
  const [query] = await embedder.embed(['bike'], 'query');
  const [passage] = await embedder.embed(['bike'], 'passage');
  expect(cosine(query, Float32Array.of(11, 6, 1, 1))).toBeCloseTo(1, 5);
  expect(cosine(passage, Float32Array.of(13, 8, 1, 1))).toBeCloseTo(1, 5);
});

test('the name changes with the model', async () => {
  const model = folder();
  const first = await transformerEmbedder(model.path);
  expect(first.name).toStartWith(`transformer:${basename(model.path)}:`);
  expect((await transformerEmbedder(model.path)).name).toBe(first.name);
  model.write('onnx/model.onnx', 'other weights');
  expect((await transformerEmbedder(model.path)).name).not.toBe(first.name);
});

test('an error of the model is a failed model call, and the next call succeeds', async () => {
  const embedder = await transformerEmbedder(folder().path);
  expect(await detailOf(embedder.embed(['explode'], 'passage'))).toBe('The local embedding model failed');
  expect(await embedder.embed(['fine'], 'passage')).toHaveLength(1);
  const words = folder();
  words.write('config.json', '{"words":true}');
  const wrong = await transformerEmbedder(words.path);
  expect(await detailOf(wrong.embed(['a'], 'query'))).toBe('The local embedding model returned no vectors');
});

test('an aborted signal ends a call', async () => {
  const embedder = await transformerEmbedder(folder().path);
  const aborted = AbortSignal.abort(new Error('enough'));
  await expect(embedder.embed(['a'], 'passage', aborted)).rejects.toThrow('enough');
});
