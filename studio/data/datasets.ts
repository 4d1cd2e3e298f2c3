/** Datasets: their cases and results. */
import { api, ask } from '../service/service.ts';

const at = (dataset: string) => api.datasets({ dataset: encodeURIComponent(dataset) });

export const listDatasets = async () => (await ask(api.datasets.get())).datasets;

export type DatasetHead = Awaited<ReturnType<typeof listDatasets>>[number];

export const readDataset = (dataset: string) => ask(at(dataset).get());

export type Dataset = Awaited<ReturnType<typeof readDataset>>;
export type Case = Dataset['cases'][number];
export type NewCase = Omit<Case, 'case_id' | 'line'>;
export type Expectation = Case['expect'];

export const addCase = (dataset: string, added: NewCase) => ask(at(dataset).cases.post(added));

export const changeCase = (dataset: string, { case_id }: Pick<Case, 'case_id'>, after: NewCase) =>
  ask(at(dataset).cases({ case_id }).put(after));

export async function removeCase(dataset: string, { case_id }: Pick<Case, 'case_id'>): Promise<void> {
  await ask(at(dataset).cases({ case_id }).delete());
}

export const runDataset = (dataset: string, workflow: string) => ask(at(dataset).results.post({ workflow }));

export const listResults = async (dataset: string) => (await ask(at(dataset).results.get())).results;

export type ResultHead = Awaited<ReturnType<typeof listResults>>[number];

export const readResult = (dataset: string, result_id: string) =>
  ask(
    at(dataset)
      .results({ result_id: encodeURIComponent(result_id) })
      .get(),
  );

export type Result = Awaited<ReturnType<typeof readResult>>;
export type JudgedCase = Result['cases'][number];

export async function deleteResult(dataset: string, result_id: string): Promise<void> {
  await ask(at(dataset).results({ result_id }).delete());
}

/** Why a dataset can't have this name, by the service's rules; undefined for a valid name. */
export function nameProblem(name: string): string | undefined {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name) && !name.includes('..')) return undefined;
  return 'Use up to 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit.';
}

/** The case's question: the prompt, the last user message of a model call, or the input as JSON. */
export const questionOf = ({ prompt, input, call }: Pick<Case, 'prompt' | 'input' | 'call'>) =>
  prompt ?? (call ? lastUserMessage(call) : JSON.stringify(input));

type CaseCall = NonNullable<Case['call']>;

function lastUserMessage({ messages }: CaseCall): string {
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
  return last?.content ?? '';
}
