/** The disk space of each part of the service, measured at most once a minute. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../../settings/schema.ts';
import type { Archive } from '../../../state/threads/archive.ts';

type Measured = Record<string, number>;

const FRESH_MS = 60_000;

export function diskUse(settings: Settings, archive: Pick<Archive, 'size'>): () => Promise<Measured> {
  let measured: Promise<Measured> | undefined;
  let until = 0;
  return () => {
    if (!measured || performance.now() > until) {
      until = performance.now() + FRESH_MS;
      measured = measure(settings, archive);
    }
    return measured;
  };
}

/** A part that cannot be measured, or is not on this machine, is left out. */
async function measure(
  { knowledge_base, local_sql_db, prompts }: Settings,
  archive: Pick<Archive, 'size'>,
): Promise<Measured> {
  const state = await archive.size().catch(() => undefined);
  const isLocal = knowledge_base.mode === 'local';
  const places = {
    documents: isLocal ? knowledge_base.documents_path : undefined,
    index: isLocal ? knowledge_base.index_path : undefined,
    sql_database: local_sql_db.database_path,
    prompts: prompts.storage === 'local' ? prompts.path : undefined,
  };
  const sizes = await Promise.all(
    Object.entries(places).map(async ([part, path]) => [part, path && (await bytesOf(path))] as const),
  );
  return {
    ...(state && { state: state.stateBytes, state_log: state.logBytes }),
    ...Object.fromEntries(sizes.filter((one): one is [string, number] => typeof one[1] === 'number')),
  };
}

/** The size of a file or a folder: 0 if it does not exist yet, undefined if it cannot be read. */
async function bytesOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(({ code }) => (code === 'ENOENT' ? null : undefined));
  if (!found) return found === null ? 0 : undefined;
  if (!found.isDirectory()) return found.size;
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
