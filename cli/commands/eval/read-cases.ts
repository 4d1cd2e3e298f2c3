/** The cases of a file on the command line. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Case, nameOf, parseCases, problemText } from '../../../runtime/datasets/cases.ts';
import { configurationError, SkeinError } from '../../../state/errors.ts';

export type NamedCase = Case & { id: string };

/** Throws CONFIGURATION_ERROR, naming the line, for an unreadable file or an invalid case. */
export function readCases(path: string): NamedCase[] {
  const { cases, problems } = parseCases(bytesOf(path));
  const [problem] = problems;
  if (problem) throw new SkeinError('CONFIGURATION_ERROR', { message: problemText(basename(path), problem) });
  if (cases.length === 0) throw configurationError(path, 'has no cases: one JSON object a line');
  return cases.map((one) => ({ ...one.case, id: nameOf(one) }));
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw configurationError(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
