/** Whether the knowledge base is usable: its folders and document count, or the settings of cloud search. */
import { existsSync, statSync } from 'node:fs';
import type { LoadedSettings } from '../../../../settings/load.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { importSearch } from '../../../../tools/knowledge/cloud/search-package.ts';
import { documentFolder } from '../../../../tools/knowledge/local/folder/document-folder.ts';
import { libraryPaths } from '../../../../tools/knowledge/local/folder/library-paths.ts';
import { bucketFolder } from '../../../../tools/knowledge/shared/bucket-folder.ts';
import { isAddress } from '../../../../tools/knowledge/storage/address.ts';
import { refusalOf, storesOf } from '../../../../tools/knowledge/stores.ts';
import { type Check, failure, ok, warning } from '../../../service/checks/check.ts';
import { writableReason } from '../../../service/checks/writable.ts';

const NAME = 'knowledge base';

/** `seeds`: whether an empty folder gets sample documents. The search service is not queried: a query may cost money. */
export async function knowledgeBaseCheck(
  { knowledge_base: base, cloud_search }: LoadedSettings['settings'],
  seeds: boolean,
): Promise<Check> {
  if (base.mode === 'cloud') return cloudCheck(cloud_search);
  const { documents_path: documents, index_path: index } = base;
  const unusable = (await storeCheck(base)) ?? placesCheck(base);
  if (unusable) return unusable;
  const store = storesOf(base).documents;
  const folder = store ? bucketFolder(store) : documentFolder(documents);
  const count = (await folder.walk()).documents.size;
  const state = isAddress(index)
    ? `index in ${index}`
    : existsSync(index)
      ? 'indexed'
      : 'not indexed yet; indexed at the first start';
  if (count > 0)
    return ok(NAME, `${documents}: ${count} ${count === 1 ? 'document' : 'documents'}, ${state}`);
  if (seeds) return ok(NAME, `${documents}: sample documents at the first start`);
  return warning(NAME, `${documents}: no documents`, 'copy files there, or run skein kb add FILE');
}

/** Undefined if each named store answers. */
async function storeCheck(base: LoadedSettings['settings']['knowledge_base']): Promise<Check | undefined> {
  try {
    const { documents, index } = storesOf(base);
    for (const location of [documents, index]) {
      const refused = location && (await refusalOf(location));
      if (refused)
        return failure(
          NAME,
          `${location.text}: ${refused.reason}`,
          `check ${location.setting} and knowledge_base.credentials`,
        );
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return failure(NAME, error.message);
  }
}

/** Undefined if each named folder is usable. */
function placesCheck(base: LoadedSettings['settings']['knowledge_base']): Check | undefined {
  const folders = (['documents_path', 'index_path'] as const).filter((field) => !isAddress(base[field]));
  try {
    if (folders.length === 2) libraryPaths({ documents: base.documents_path, index: base.index_path });
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return failure(NAME, error.message);
  }
  for (const field of folders) {
    const path = base[field];
    const reason = writableReason(path) ?? notFolder(path);
    if (reason)
      return failure(NAME, `${path}: ${reason}`, `make it writable, or change knowledge_base.${field}`);
  }
  return undefined;
}

function notFolder(path: string): string | undefined {
  return (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true) ? undefined : 'expected a folder';
}

async function cloudCheck(search: LoadedSettings['settings']['cloud_search']): Promise<Check> {
  const unusable = await importSearch().then(
    () => undefined,
    (error) => failure(NAME, error.message),
  );
  if (unusable) return unusable;
  const missing = (['endpoint', 'index_name', 'api_key'] as const).filter((field) => !search?.[field]);
  if (missing.length === 0) return ok(NAME, `cloud search, index ${search?.index_name}; not checked`);
  const fields = missing.map((field) => `cloud_search.${field}`).join(', ');
  return failure(
    NAME,
    `knowledge_base.mode is cloud, and ${fields} ${missing.length === 1 ? 'is' : 'are'} missing`,
    `set ${fields}`,
  );
}
