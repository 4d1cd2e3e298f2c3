/** Why a workflow cannot be used, in a line that people can act on and that names no folder of the machine. */
import { join } from 'node:path';

/** A workflow's file, and the project's folder, from which people name it. */
export interface Place {
  root: string;
  /** Relative to `root`. */
  file: string;
}

/** The place in a file is added where the error says it. */
export function problemOf({ root, file }: Place, error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  const [reason = ''] = reasonOf(first).split('\n');
  return `${file}: ${reason}${placeOf(first)}`.replaceAll(join(root, '/'), '');
}

/** Anything can be thrown, also null and what cannot become text. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error === 'string' ? error : Bun.inspect(error);
}

/** Of what Bun could not compile. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { position }: Error & { position?: { file?: string; line?: number; column?: number } | null } = error;
  return position?.file && position.line ? ` (${position.file}:${position.line}:${position.column})` : '';
}
