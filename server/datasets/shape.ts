/** The shapes of the datasets endpoints, and how their paths name things. */
import { type Static, Type } from '@sinclair/typebox';
import { type Case, caseFields, checkCase } from '../../runtime/datasets/cases.ts';
import { DATASET } from '../../runtime/datasets/names.ts';
import { Result } from '../../runtime/datasets/results.ts';
import type { Dataset, StoredCase } from '../../runtime/datasets/stored-case.ts';
import { SkeinError } from '../../state/errors.ts';
import { someOf } from '../http/documented-schema.ts';

const Name = Type.String({
  pattern: DATASET.source,
  error: 'expected up to 64 letters, digits, dots, hyphens or underscores, a letter or digit first',
});

export const datasetParams = Type.Object({ dataset: Name });
export const caseParams = Type.Object({
  dataset: Name,
  case_id: Type.String({ description: 'As the dataset lists it' }),
});
export const resultParams = Type.Object({
  dataset: Name,
  result_id: Type.String(),
});

export const CaseBody = Type.Object(caseFields, {
  title: 'DatasetCaseBody',
  additionalProperties: true,
  ...someOf('prompt', 'input', 'call'),
});

export const CaseEntry = Type.Object(
  {
    case_id: Type.String({ description: 'Of what it says: a case that changes gets another one' }),
    line: Type.Integer({ description: 'In the file, from 1' }),
    ...caseFields,
  },
  { title: 'DatasetCase' },
);

export const DatasetBody = Type.Object(
  {
    dataset: Type.String(),
    cases: Type.Array(CaseEntry),
    problems: Type.Array(
      Type.Object({ line: Type.Integer(), column: Type.Integer(), reason: Type.String() }),
      { description: 'Lines that are no cases. Until they are mended in the file, nothing changes or runs' },
    ),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Dataset' },
);
export type DatasetBody = Static<typeof DatasetBody>;

export const ResultHead = Type.Omit(Result, ['cases'], { title: 'DatasetResultHead' });

export const DatasetList = Type.Object(
  {
    datasets: Type.Array(
      Type.Object({
        dataset: Type.String(),
        cases: Type.Integer(),
        problems: Type.Integer({ description: 'Lines that are no cases' }),
        updated_at: Type.String({ format: 'date-time' }),
        last_result: Type.Union([ResultHead, Type.Null()]),
      }),
      { description: 'By name' },
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

/** Unknown fields are dropped. Throws INVALID_REQUEST for what a file of cases cannot hold. */
export function caseIn(body: Static<typeof CaseBody>): Case {
  const given = Object.entries(body).filter(([name]) => FIELDS.includes(name));
  try {
    return checkCase(Object.fromEntries(given));
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    throw new SkeinError('INVALID_REQUEST', { detail: error.message });
  }
}
