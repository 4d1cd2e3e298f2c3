/** The path parameters of the prompts endpoints. */
import { Type } from '@sinclair/typebox';
import type { Context } from 'elysia';
import { FILE, REVISION } from '../../prompts/names.ts';
import { pathOf } from '../http/path-of.ts';

// `documented`, because the prompt store checks the names: an invalid one is a 404 on reading and PROMPT_INVALID on writing.
const RevisionId = Type.String({
  documented: { pattern: patternOf(REVISION) },
  description: 'The name of the revision',
});
const Filename = Type.String({
  documented: { pattern: patternOf(FILE) },
  description: 'The name of the prompt file',
});

export const RevisionParams = Type.Object({ revision_id: RevisionId });
export const PromptParams = Type.Object({ revision_id: RevisionId, filename: Filename });

// The index of the revision in a path such as /api/v1/prompts/view/<revision>/<file>, split at slashes.
const REVISION_INDEX = 5;

/**
 * Replaces null, which Elysia returns for a path segment with invalid percent-encoding, with the raw segment. That is not a valid
 * name, so it is rejected like any other invalid name.
 */
export function keepUndecoded({ params, request }: Pick<Context, 'params' | 'request'>): void {
  const given: Record<string, string | null> = params ?? {};
  if (!Object.values(given).includes(null)) return;
  const [revision = '', file = ''] = pathOf(request).split('/').slice(REVISION_INDEX);
  given.revision_id ??= revision;
  if ('filename' in given) given.filename ??= file;
}

export function nameOf({ revision_id, filename }: { revision_id: string; filename: string }) {
  return { revision: revision_id, file: filename };
}

/** Adds the rule that names must not contain two consecutive dots. */
function patternOf(name: RegExp): string {
  return name.source.replace('^', '^(?!.*\\.\\.)');
}
