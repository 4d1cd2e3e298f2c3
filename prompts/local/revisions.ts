/** The revisions that there are: the folders of the local storage, and `default`, which ships. */
import { DEFAULT_REVISION, isPromptFile, isRevision } from '../names.ts';
import type { PromptSource } from '../prompts.ts';
import type { Revision } from '../store.ts';
import type { Folder } from './folder.ts';
import { within } from './revision.ts';

type InRoot = <T>(work: (root: Folder) => Promise<T>) => Promise<T | undefined>;

/** Sorted by name; a folder without prompt files is none. */
export async function revisionsOf(inRoot: InRoot, shipped: PromptSource): Promise<Revision[]> {
  const local = (await inRoot(localFiles)) ?? new Map<string, string[]>();
  const base = await shipped.list();
  const own = local.get(DEFAULT_REVISION) ?? [];
  local.delete(DEFAULT_REVISION);
  const source = own.length > 0 ? 'shipped+local' : 'shipped';
  const first: Revision = { revision_id: DEFAULT_REVISION, files: new Set([...base, ...own]).size, source };
  const others = [...local].map(
    ([revision_id, files]): Revision => ({
      revision_id,
      files: files.length,
      source: 'local',
    }),
  );
  return [first, ...others].sort((a, b) => (a.revision_id < b.revision_id ? -1 : 1));
}

async function localFiles(root: Folder): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const revision of (await root.folders()).filter(isRevision)) {
    const names = await within(root, [revision], (folder) => folder.files());
    const files = (names ?? []).filter(isPromptFile);
    if (files.length > 0) found.set(revision, files);
  }
  return found;
}
