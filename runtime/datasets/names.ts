/** Valid names of datasets, and their errors. */
import { SkeinError } from '../../state/errors.ts';

/** The same rule as for revisions of prompt files. */
export const DATASET = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const END = '.jsonl';

export const fileOf = (dataset: string) => `${dataset}${END}`;

/** Undefined for a file that is not a dataset. */
export function datasetIn(file: string): string | undefined {
  const name = file.slice(0, -END.length);
  return file.endsWith(END) && DATASET.test(name) ? name : undefined;
}

/** Throws INVALID_REQUEST for an invalid name. */
export function checkDataset(name: string): void {
  if (!DATASET.test(name))
    throw new SkeinError('INVALID_REQUEST', {
      detail:
        'dataset: expected at most 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit',
    });
}

export function noDataset(name: string): SkeinError {
  return new SkeinError('NOT_FOUND', { message: `Dataset '${name}' not found` });
}
