/** Describes why a workflow can't be used, in one actionable line without absolute paths. */
import { join } from 'node:path';

/** A workflow's file, and the project's folder. */
export interface SourceFile {
  root: string;
  /** Relative to `root`. */
  file: string;
}

/** Adds the position in the file if the error has one. */
export function problemOf({ root, file }: SourceFile, error: unknown): string {
  try {
    const [first = error] = error instanceof AggregateError ? error.errors : [];
    const [line = ''] = reasonOf(first).split('\n');
    const reason = line.replace(IMPORTER, '');
    return `${file}: ${reason || NO_REASON}${positionOf(first)}`.replaceAll(join(root, '/'), '');
  } catch {
    // A thrown value may itself throw when it is read.
    return `${file}: ${NO_REASON}`;
  }
}

/** The service's file that imports the project's files. Bun names it as the importer if a project's file is missing. */
const IMPORTER = / (?:imported )?from ['"]?\S*read-graph-file\.ts['"]?/;

const NO_REASON = 'it throws an error without a message';

/** Anything can be thrown, even null and values that can't be converted to text. */
function reasonOf(error: unknown): string {
  if (error instanceof Error) return typeof error.message === 'string' ? error.message : '';
  return typeof error === 'string' ? error : Bun.inspect(error);
}

/** The position in a file that Bun could not compile. */
function positionOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { position }: Error & { position?: { file?: string; line?: number; column?: number } | null } = error;
  return position?.file && position.line ? ` (${position.file}:${position.line}:${position.column})` : '';
}
