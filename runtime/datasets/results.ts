/** The results of dataset runs: one file per run, in the folder `.results/<dataset>` beside the datasets. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { within } from '../../prompts/local/revision.ts';
import { caseFields, Expectation } from './cases.ts';
import { inCreatedFolder, inFolder } from './folder.ts';
import { checkDataset } from './names.ts';

const Time = Type.String({ description: 'ISO 8601' });

export const JudgedCase = Type.Object(
  {
    key: Type.String({ description: 'Identifies the case in all results: its id, or its question' }),
    id: Type.String({ description: 'The name in reports' }),
    prompt: Type.String({ description: 'The question, or the input as text' }),
    expect: Expectation,
    source: caseFields.source,
    is_call: Type.Optional(Type.Boolean({ description: 'It was a model call, not a run of the workflow' })),
    answered: Type.Boolean({ description: 'False if there was no answer to score' }),
    right: Type.Boolean({ description: 'Whether the answer met all expectations' }),
    misses: Type.Array(Type.String(), { description: 'Why the case did not pass' }),
    answer: Type.String({ description: 'The first 4,000 characters of the answer' }),
    tokens: Type.Integer({ description: 'Input and output tokens of the case' }),
    milliseconds: Type.Integer({ description: 'Duration of the case in milliseconds' }),
  },
  { title: 'JudgedCase' },
);
export type JudgedCase = Static<typeof JudgedCase>;

export const PromptVersion = Type.Object({
  filename: Type.String({ description: 'The name of the prompt file' }),
  revision_id: Type.String({ description: 'The revision that contains the file, which may be the fallback' }),
  version: Type.Union([Type.Integer(), Type.Null()], {
    description: 'From 1. 0 is the shipped file; null if the history cannot be read',
  }),
  sha256: Type.String({ description: "The file's SHA-256 in hexadecimal" }),
});
export type PromptVersion = Static<typeof PromptVersion>;

export const Result = Type.Object(
  {
    result_id: Type.String({ description: 'The id of the result' }),
    dataset: Type.String({ description: 'The name of the dataset' }),
    workflow: Type.String({ description: 'The workflow that was run' }),
    author: Type.String({ description: 'The caller who started the runs' }),
    status: Type.Union(
      [Type.Literal('running'), Type.Literal('finished'), Type.Literal('stopped'), Type.Literal('failed')],
      { description: 'stopped: the server stopped; failed: no further case could run' },
    ),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed' }),
    created_at: Time,
    updated_at: Time,
    total: Type.Integer({ description: 'The number of cases' }),
    done: Type.Integer({ description: 'Cases that have run' }),
    right: Type.Integer({ description: 'Cases whose answers met all expectations' }),
    unanswered: Type.Integer({ description: 'Cases without an answer' }),
    tokens: Type.Integer({ description: 'Input and output tokens of all cases' }),
    models: Type.Array(Type.String(), { description: 'The models that answered' }),
    prompts: Type.Array(PromptVersion, { description: 'The prompt files that were rendered' }),
    cases: Type.Array(JudgedCase, { description: 'The cases that have run' }),
  },
  { title: 'DatasetResult' },
);
export type Result = Static<typeof Result>;

const RESULT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Results {
  /** Newest first; files that are not results are skipped. */
  list(dataset: string): Promise<Result[]>;
  newest(dataset: string): Promise<Result | undefined>;
  find(dataset: string, resultId: string): Promise<Result | undefined>;
  /** Deletes the oldest results of the dataset beyond twenty. */
  save(result: Result): Promise<void>;
  /** Returns whether the result existed. */
  remove(dataset: string, resultId: string): Promise<boolean>;
}

const FOLDER = '.results';
const KEPT = 20;
const MAX_BYTES = 64 * 1024 * 1024;
// The result of a run in progress is saved every second, so an older one belongs to a server that has stopped.
const SILENT_MS = 60_000;

export function resultsIn(path: string): Results {
  const fileOf = (resultId: string) => `${resultId}.json`;

  async function find(dataset: string, resultId: string): Promise<Result | undefined> {
    checkDataset(dataset);
    if (!RESULT_ID.test(resultId)) return undefined;
    const found = await inFolder(path, (root) =>
      within(root, [FOLDER, dataset], (folder) => folder.read(fileOf(resultId), MAX_BYTES)),
    );
    return found && resultIn(found.bytes);
  }

  async function idsOf(dataset: string): Promise<string[]> {
    checkDataset(dataset);
    const files = await inFolder(path, (root) => within(root, [FOLDER, dataset], (folder) => folder.files()));
    const ids = (files ?? []).flatMap((file) =>
      file.endsWith('.json') ? file.slice(0, -'.json'.length) : [],
    );
    return ids
      .filter((id) => RESULT_ID.test(id))
      .sort()
      .reverse();
  }

  async function* newestFirst(dataset: string): AsyncGenerator<Result> {
    for (const id of await idsOf(dataset)) {
      const result = await find(dataset, id);
      if (result) yield result;
    }
  }

  return {
    find,
    list: (dataset) => Array.fromAsync(newestFirst(dataset)),
    async newest(dataset) {
      for await (const result of newestFirst(dataset)) return result;
    },
    async save(result) {
      const { dataset, result_id } = result;
      const beyond = (await idsOf(dataset)).filter((id) => id !== result_id).slice(KEPT - 1);
      await inCreatedFolder(path, [FOLDER, dataset], async (folder) => {
        await folder.write(fileOf(result_id), Buffer.from(`${JSON.stringify(result, null, 1)}\n`));
        for (const id of beyond) await folder.remove(fileOf(id));
      });
    },
    async remove(dataset, resultId) {
      if (!(await find(dataset, resultId))) return false;
      await inFolder(path, (root) =>
        within(root, [FOLDER, dataset], (folder) => folder.remove(fileOf(resultId))),
      );
      return true;
    },
  };
}

/** Undefined for a file that is not a result, for example after an edit by hand. */
function resultIn(bytes: Uint8Array): Result | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  if (!Value.Check(Result, value)) return undefined;
  const isSilent = Date.now() - Date.parse(value.updated_at) > SILENT_MS;
  return value.status === 'running' && isSilent ? { ...value, status: 'stopped' } : value;
}
