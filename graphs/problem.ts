/** Why a workflow cannot be used, in a line that people can act on and that names no folder of the machine. */
import { dirname, sep } from 'node:path';

/** `folder`: the workflow's own. The place in a file is added where the error says it. */
export function problemOf(folder: string, error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  const root = dirname(dirname(folder)) + sep;
  const [reason = ''] = (first instanceof Error ? first.message : String(first)).split('\n');
  const text = `${folder}${sep}graph.ts: ${reason}${placeOf(first)}`;
  return text.replaceAll(root, '');
}

/** Of what Bun could not compile. */
function placeOf(error: unknown): string {
  const { position } = error as { position?: { file?: string; line?: number; column?: number } | null };
  return position?.file && position.line ? ` (${position.file}:${position.line}:${position.column})` : '';
}
