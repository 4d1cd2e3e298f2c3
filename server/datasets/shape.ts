/** The schemas and the path parameters of the datasets endpoints. */
import { type Static, Type } from '@sinclair/typebox';
import { type Case, caseFields, checkCase } from '../../runtime/datasets/cases.ts';
import { DATASET } from '../../runtime/datasets/names.ts';
import { Result } from '../../runtime/datasets/results.ts';
import type { Dataset, StoredCase } from '../../runtime/datasets/stored-case.ts';
import { SkeinError } from '../../state/errors.ts';
import { atLeastOneOf } from '../http/schemas/documented-schema.ts';

const Name = Type.String({
  pattern: DATASET.source,
  description: 'The name of the dataset',
  error: 'expected at most 64 letters, digits, dots, hyphens or underscores, starting with a letter or digit',
});

export const datasetParams = Type.Object({ dataset: Name });
export const caseParams = Type.Object({
  dataset: Name,
  case_id: Type.String({ description: "An id of the dataset's cases" }),
});
export const resultParams = Type.Object({
  dataset: Name,
  result_id: Type.String({ description: 'The id of the result' }),
});

export const CaseBody = Type.Object(caseFields, {
  title: 'DatasetCaseBody',
  additionalProperties: true,
  ...atLeastOneOf('prompt', 'input', 'call'),
});

export const CaseEntry = Type.Object(
  {
    case_id: Type.String({ description: 'A hash of the content: a changed case gets a new id' }),
    line: Type.Integer({ description: 'The line in the file, from 1' }),
    ...caseFields,
  },
  { title: 'DatasetCase' },
);

export const DatasetBody = Type.Object(
  {
    dataset: Type.String({ description: 'The name of the dataset' }),
    cases: Type.Array(CaseEntry, { description: 'The cases, in the order of the file' }),
    problems: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'The line in the file, from 1' }),
        column: Type.Integer({ description: 'The column in the line, from 1' }),
        reason: Type.String({ description: 'What is wrong' }),
      }),
      {
        description:
          'Lines that are not valid cases. The dataset cannot be changed or run until they are fixed in the file',
      },
    ),
    updated_at: Type.String({ format: 'date-time', description: 'When the file was last changed' }),
  },
  { title: 'Dataset' },
);
export type DatasetBody = Static<typeof DatasetBody>;

export const ResultHead = Type.Omit(Result, ['cases'], { title: 'DatasetResultHead' });

export const DatasetList = Type.Object(
  {
    datasets: Type.Array(
      Type.Object({
        dataset: Type.String({ description: 'The name of the dataset' }),
        cases: Type.Integer({ description: 'The number of valid cases' }),
        problems: Type.Integer({ description: 'The number of lines that are not valid cases' }),
        updated_at: Type.String({ format: 'date-time', description: 'When the file was last changed' }),
        last_result: Type.Union([ResultHead, Type.Null()], {
          description: 'The newest result, without its cases',
        }),
      }),
      { description: 'Sorted by name' },
    ),
  },
  { title: 'DatasetList' },
);

export function toCaseEntry({ caseId, line, case: own }: StoredCase): Static<typeof CaseEntry> {
  return { case_id: caseId, line, ...own };
}

export function toDatasetBody({ name, cases, problems, updatedAt }: Dataset): DatasetBody {
  return { dataset: name, cases: cases.map(toCaseEntry), problems, updated_at: updatedAt.toISOString() };
}

export function toResultHead({ cases: _, ...head }: Result): Static<typeof ResultHead> {
  return head;
}

const FIELDS = Object.keys(caseFields);

/** Returns the case of a request, without unknown fields. Throws INVALID_REQUEST if it is not a valid case. */
export function caseIn(body: Static<typeof CaseBody>): Case {
  const given = Object.entries(body).filter(([name]) => FIELDS.includes(name));
  try {
    return checkCase(Object.fromEntries(given));
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    throw new SkeinError('INVALID_REQUEST', { detail: error.message });
  }
}
