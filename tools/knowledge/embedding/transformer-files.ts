/** What the folder of a transformer model holds, and how the model wants to be used. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configurationError } from '../../../state/errors.ts';

export interface ModelFiles {
  /** The file of the package that runs models. */
  entry: string;
  dtype: 'fp32' | 'q8';
  /** How the vectors of words become that of a sentence. */
  pooling: 'mean' | 'cls' | 'last_token';
  /** What the model was trained to see before a text. */
  prefixes: { query: string; passage: string };
  /** Changes with the model. */
  version: string;
}

/** Throws CONFIGURATION_ERROR: the reason says what is missing, and how to get it. */
export function findModel(folder: string): ModelFiles {
  if (!existsSync(folder)) throw missing('there is no such folder');
  for (const name of NEEDED)
    if (!existsSync(join(folder, name))) throw missing(`the folder holds no ${name} of a model`);
  const weights = WEIGHTS.find(({ file }) => existsSync(join(folder, file)));
  if (!weights) throw missing(`the folder holds no weights: ${WEIGHTS.map(({ file }) => file).join(' or ')}`);
  const entry = entryOf(folder);
  const pooling = poolingOf(optional(folder, '1_Pooling/config.json'));
  const prefixes = prefixesOf(optional(folder, 'config_sentence_transformers.json'));
  return { entry, dtype: weights.dtype, pooling, prefixes, version: versionOf(folder, weights.file) };
}

const PACKAGE = '@huggingface/transformers';
const NEEDED = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
const WEIGHTS = [
  { file: 'onnx/model.onnx', dtype: 'fp32' },
  { file: 'onnx/model_quantized.onnx', dtype: 'q8' },
] as const;

/** Looked for in this folder alone: above it Bun would find the empty one that stands in for 300 MB, or download one. */
function entryOf(folder: string): string {
  if (!existsSync(join(folder, 'node_modules', PACKAGE, 'package.json')))
    throw missing(
      `the package ${PACKAGE} is not installed in the folder: put a package.json with {} there and run \`bun add ${PACKAGE}\` in it`,
    );
  try {
    return Bun.resolveSync(PACKAGE, resolve(folder));
  } catch (cause) {
    const error = missing(`the package ${PACKAGE} in the folder is damaged: install it again`);
    error.cause = cause;
    throw error;
  }
}

/** As sentence-transformers writes it. */
function poolingOf(config: Record<string, unknown>): ModelFiles['pooling'] {
  if (config.pooling_mode_cls_token === true) return 'cls';
  return config.pooling_mode_lasttoken === true ? 'last_token' : 'mean';
}

function prefixesOf({ prompts }: Record<string, unknown>): ModelFiles['prefixes'] {
  const given = typeof prompts === 'object' && prompts !== null ? (prompts as Record<string, unknown>) : {};
  const prefix = (value: unknown) => (typeof value === 'string' ? value : '');
  return { query: prefix(given.query), passage: prefix(given.passage ?? given.document) };
}

function versionOf(folder: string, weights: string): string {
  const hash = createHash('sha256').update(`${weights} ${statSync(join(folder, weights)).size}`);
  for (const name of [...NEEDED, ...OPTIONAL])
    if (existsSync(join(folder, name))) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 8);
}

const OPTIONAL = ['1_Pooling/config.json', 'config_sentence_transformers.json'];

function optional(folder: string, name: string): Record<string, unknown> {
  if (!existsSync(join(folder, name))) return {};
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    throw missing(`${name} in the folder is no JSON`);
  }
}

function missing(reason: string) {
  return configurationError('knowledge_base.embedding_folder', reason);
}
