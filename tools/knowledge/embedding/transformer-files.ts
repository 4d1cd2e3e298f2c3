/** Reads the folder of a transformer model: its files, and how to use the model. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configurationError } from '../../../state/errors.ts';

export interface ModelFiles {
  /** The entry file of the package that runs models. */
  entry: string;
  dtype: 'fp32' | 'q8';
  /** How the vectors of tokens are combined into one vector. */
  pooling: 'mean' | 'cls' | 'last_token';
  /** The prefixes with which the model was trained. */
  prefixes: { query: string; passage: string };
  /** A value that changes with the model. */
  version: string;
}

/** Throws CONFIGURATION_ERROR: the reason says what is missing and how to install it. */
export function findModel(folder: string): ModelFiles {
  if (!existsSync(folder)) throw missing('the folder does not exist');
  for (const name of NEEDED) if (!existsSync(join(folder, name))) throw missing(`the folder has no ${name}`);
  const weights = WEIGHTS.find(({ file }) => existsSync(join(folder, file)));
  if (!weights) throw missing(`the folder has no weights: ${WEIGHTS.map(({ file }) => file).join(' or ')}`);
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

/** Only searches this folder. Above it, Bun would find the empty package that replaces 300 MB, or download the package. */
function entryOf(folder: string): string {
  if (!existsSync(join(folder, 'node_modules', PACKAGE, 'package.json')))
    throw missing(
      `the package ${PACKAGE} is not installed in the folder: create a package.json with {} in it and run \`bun add ${PACKAGE}\` there`,
    );
  try {
    return Bun.resolveSync(PACKAGE, resolve(folder));
  } catch (cause) {
    const error = missing(`the package ${PACKAGE} in the folder is damaged: install it again`);
    error.cause = cause;
    throw error;
  }
}

/** The file format of sentence-transformers. */
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
    throw missing(`${name} in the folder is not valid JSON`);
  }
}

function missing(reason: string) {
  return configurationError('knowledge_base.embedding_folder', reason);
}
