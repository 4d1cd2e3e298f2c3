/** Whether prompt files can be read and written, and whether the revisions that are configured exist. */
import { statSync } from 'node:fs';
import { localStore } from '../../prompts/local/store.ts';
import type { RevisionSource } from '../../prompts/prompts.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { type Check, failure, ok, warning } from './check.ts';
import { writableReason } from './writable.ts';

const NAME = 'prompts';

/** `source` has the files that model calls would use. */
export async function promptsChecks(
  { prompts, workflows }: LoadedSettings['settings'],
  source: RevisionSource,
): Promise<Check[]> {
  const { path, storage } = prompts;
  if (storage !== 'local')
    return [failure(NAME, `this version knows only 'local', not '${storage}'`, 'change prompts.storage')];
  const found = statSync(path, { throwIfNoEntry: false });
  const reason = writableReason(path) ?? (found && !found.isDirectory() ? 'expected a folder' : undefined);
  if (reason) return [failure(NAME, `${path}: ${reason}`, 'make it writable, or change prompts.path')];
  const revisions = await localStore({ path, shipped: source }).revisions();
  const names = revisions.map(({ revision_id }) => revision_id).join(', ');
  return [ok(NAME, `${path}: ${names}`), ...(await missingRevisions(workflows, source))];
}

/** A workflow whose revision is not there is answered with the shipped files: it works, but not as it was meant. */
async function missingRevisions(
  workflows: LoadedSettings['settings']['workflows'],
  source: RevisionSource,
): Promise<Check[]> {
  const rows = Object.entries(workflows).map(async ([name, { prompt_revision: revision }]) => {
    if (revision === undefined || (await source.exists(revision))) return [];
    const at = `workflows.${name}.prompt_revision`;
    return [
      warning(
        NAME,
        `${at}: there is no revision ${JSON.stringify(revision)}, so the shipped files are used`,
        `make it, or change ${at}`,
      ),
    ];
  });
  return (await Promise.all(rows)).flat();
}
