/** Why a workflow cannot be used, in a line that people can act on and that names no folder of the machine. */
import { dirname, sep } from 'node:path';

/** `folder`: the workflow's own. The place in a file is added where the error says it. */
export function problemOf(folder: string, error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  const root = dirname(dirname(folder)) + sep;
  const [reason = ''] = reasonOf(first).split('\n');
  const text = `${folder}${sep}graph.ts: ${reason}${placeOf(first)}`;
  return text.replaceAll(root, '');
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
