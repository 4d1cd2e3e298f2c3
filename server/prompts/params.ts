/** The path parameters of the prompts endpoints. */
import { Type } from '@sinclair/typebox';
import type { Context } from 'elysia';
import { FILE, REVISION } from '../../prompts/names.ts';

// Checked by the prompts themselves: a bad name is 404 on reading, and PROMPT_INVALID on writing.
const RevisionId = Type.String({ documented: { pattern: patternOf(REVISION) } });
const Filename = Type.String({ documented: { pattern: patternOf(FILE) } });

export const RevisionParams = Type.Object({ revision_id: RevisionId });
export const PromptParams = Type.Object({ revision_id: RevisionId, filename: Filename });

const REVISION_AT = 5;

/**
 * Elysia gives null for a path segment with invalid percent-encoding. Its raw text breaks the rule for names, so it is
 * rejected like any other bad name.
 */
export function keepUndecoded({ params, request }: Pick<Context, 'params' | 'request'>): void {
  const given: Record<string, string | null> = params ?? {};
  if (!Object.values(given).includes(null)) return;
  const [revision = '', file = ''] = new URL(request.url).pathname.split('/').slice(REVISION_AT);
  given.revision_id ??= revision;
  if ('filename' in given) given.filename ??= file;
}

export function nameOf({ revision_id, filename }: { revision_id: string; filename: string }) {
  return { revision: revision_id, file: filename };
}

/** Names must not contain two dots in a row either. */
function patternOf(name: RegExp): string {
  return name.source.replace('^', '^(?!.*\\.\\.)');
}
