/** Opens the store that an address names. */
import { type Address, addressText } from './address.ts';
import { azureStore, importAzure } from './azure-store.ts';
import type { Setting } from './failure.ts';
import { googleStore, importGoogle } from './google-store.ts';
import { lanceStorage } from './lance-storage.ts';
import type { ObjectStore } from './object-store.ts';
import type { StorageOptions } from './options.ts';
import { s3Store } from './s3-store.ts';

/** An address from the settings, with what is needed to open it. */
export interface StoreLocation {
  address: Address;
  /** The address as text, without credentials. */
  text: string;
  setting: Setting;
  /** Returns the same store each time. Throws CONFIGURATION_ERROR if its package is not installed. */
  store(): Promise<ObjectStore>;
  /** LanceDB's options for the address. */
  lance: Record<string, string>;
}

export function storeLocation(address: Address, options: StorageOptions, setting: Setting): StoreLocation {
  let opened: Promise<ObjectStore> | undefined;
  return {
    address,
    text: addressText(address),
    setting,
    store() {
      opened ??= openStore(address, options, setting).catch((error) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
    lance: lanceStorage(address, options),
  };
}

async function openStore(address: Address, options: StorageOptions, setting: Setting): Promise<ObjectStore> {
  if (address.scheme === 's3') return s3Store(address, options, setting);
  if (address.scheme === 'az') return azureStore(address, options, setting);
  return googleStore(address, options, setting);
}

/** Throws CONFIGURATION_ERROR, which names the package to install, if it is missing. */
export async function assertStoragePackage({ scheme }: Address, setting: Setting): Promise<void> {
  if (scheme === 'az') await importAzure(setting);
  if (scheme === 'gs') await importGoogle(setting);
}
