/** The object stores that `documents_path` and `index_path` name. */
import { configurationError, SkeinError } from '../../state/errors.ts';
import type { LibraryLog } from './local/index/log.ts';
import type { KnowledgeBaseOptions } from './options.ts';
import { addressOf, isAddress } from './storage/address.ts';
import { isMisconfigured, type Setting } from './storage/failure.ts';
import { assertStoragePackage, type StoreLocation, storeLocation } from './storage/open-store.ts';

export type StoreSettings = Pick<
  KnowledgeBaseOptions,
  'documents_path' | 'index_path' | 'endpoint' | 'region' | 'credentials'
>;

export interface Stores {
  /** Undefined for a folder. */
  documents: StoreLocation | undefined;
  index: StoreLocation | undefined;
}

/** Sends no requests. The settings must have been validated. */
export function storesOf(settings: StoreSettings): Stores {
  const { endpoint, region, credentials } = settings;
  function locationOf(text: string, setting: Setting): StoreLocation | undefined {
    if (!isAddress(text)) return undefined;
    const address = addressOf(text);
    if (!address) throw configurationError(setting, 'not an address of an object store');
    return storeLocation(address, { endpoint, region, credentials }, setting);
  }
  return {
    documents: locationOf(settings.documents_path, 'knowledge_base.documents_path'),
    index: locationOf(settings.index_path, 'knowledge_base.index_path'),
  };
}

/** Throws CONFIGURATION_ERROR, which names the package to install, if it is missing. */
export async function assertStoragePackages(settings: StoreSettings): Promise<void> {
  const { documents, index } = storesOf(settings);
  for (const location of [documents, index])
    if (location) await assertStoragePackage(location.address, location.setting);
}

/**
 * Throws CONFIGURATION_ERROR if a store rejects the address or the credentials. If a store does not respond, only logs that,
 * because it may respond later.
 */
export async function assertStores(settings: StoreSettings, log: LibraryLog): Promise<void> {
  const { documents, index } = storesOf(settings);
  for (const location of [documents, index]) {
    if (!location) continue;
    const refused = await refusalOf(location);
    if (!refused) continue;
    if (refused.isFinal) throw configurationError(location.setting, refused.reason);
    log.warn({ store: location.text }, `${location.setting}: ${refused.reason}`);
  }
}

/** Why the store cannot be used; undefined if it can. */
export async function refusalOf(
  location: StoreLocation,
): Promise<{ reason: string; isFinal: boolean } | undefined> {
  try {
    await (await location.store()).probe();
    return undefined;
  } catch (error) {
    if (!(error instanceof SkeinError) || error.code !== 'DATABASE_CONNECTION_FAILED') throw error;
    const reason = (error.detail ?? '').slice(`${location.setting}: `.length);
    return { reason, isFinal: isMisconfigured(error) };
  }
}
