/** A dataset as read from its file: each case with its line and an id. */
import { createHash } from 'node:crypto';
import { SkeinError } from '../../state/errors.ts';
import { type Case, type CaseProblem, parseCases, problemText, type ReadCase } from './cases.ts';
import { fileOf } from './names.ts';

export interface StoredCase extends Pick<ReadCase, 'line' | 'case'> {
  /** A hash of the case's text, so a changed case has another id. */
  caseId: string;
}

export interface Dataset {
  name: string;
  cases: StoredCase[];
  /** Invalid lines. Until they are fixed in the file, the dataset can't be changed or run. */
  problems: CaseProblem[];
  updatedAt: Date;
}

export function datasetOf(name: string, bytes: Uint8Array, updatedAt: Date): Dataset {
  const { cases, problems } = parseCases(bytes);
  return {
    name,
    cases: cases.map(({ line, text, case: own }) => storedCase(line, text, own)),
    problems,
    updatedAt,
  };
}

export function storedCase(line: number, text: string, own: Case): StoredCase {
  const caseId = createHash('sha256').update(text.trim()).digest('hex').slice(0, 16);
  return { caseId, line, case: own };
}

/** Throws NOT_FOUND. */
export function caseOf({ name, cases }: Dataset, caseId: string): StoredCase {
  const found = cases.find((one) => one.caseId === caseId);
  if (found) return found;
  const message = `Case not found in the dataset '${name}'. It may have been changed or removed in the meantime`;
  throw new SkeinError('NOT_FOUND', { message });
}

/** Throws CONFIGURATION_ERROR for a dataset with an invalid line, naming the line. */
export function refuseBroken({ name, problems: [problem] }: Dataset): void {
  if (!problem) return;
  const message = `${problemText(fileOf(name), problem)}. Fix the line in the file: until then the dataset can't be changed or run.`;
  throw new SkeinError('CONFIGURATION_ERROR', { message, field: 'datasets.path' });
}

/** Throws INVALID_REQUEST if another case has the same name. */
export function refuseSameName({ id }: Case, others: readonly StoredCase[]): void {
  if (id !== undefined && others.some((one) => one.case.id === id))
    throw new SkeinError('INVALID_REQUEST', { detail: 'id: another case of the dataset has this name' });
}
