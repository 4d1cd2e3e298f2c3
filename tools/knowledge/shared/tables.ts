/** The tables of an index in an object store. Errors name the setting, and don't contain LanceDB's message. */
import { loadLance } from '../local/index/lance.ts';
import { openPassages, type Passages } from '../local/index/passages.ts';
import { storageFailure } from '../storage/failure.ts';
import type { StoreLocation } from '../storage/open-store.ts';
import { openParents, type Parents } from './parents.ts';

export interface Tables {
  passages: Passages;
  parents: Parents;
  /** Makes visible what another server has written so far. */
  refresh(): Promise<void>;
  close(): void;
}

export interface TablesOptions {
  location: StoreLocation;
  /** The folder below the address; ends with a `/`. */
  folder: string;
  /** The name of the tables. */
  name: string;
  readonly: boolean;
}

export async function openTables({ location, folder, name, readonly }: TablesOptions): Promise<Tables> {
  const uri = location.text + folder.replace(/\/$/, '');
  const storage = location.lance;
  const failing = (error: unknown): never => {
    throw storageFailure(location.setting, error);
  };
  const lance = await loadLance();
  const connection = await lance.connect(uri, { storageOptions: storage }).catch(failing);
  try {
    const parents = guarded(await openParents(connection, `parents-${name}`), failing);
    const table = `passages-${name}`;
    const passages = guarded(await openPassages(uri, { readonly, table, storage }), failing);
    return {
      passages,
      parents,
      async refresh() {
        await Promise.all([passages.refresh(), parents.refresh()]);
      },
      close() {
        passages.close();
        parents.close();
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    return failing(error);
  }
}

/** Removes tables with other names, which are left over from before the index was rebuilt. */
export async function dropOthers({ location, folder, name }: Omit<TablesOptions, 'readonly'>): Promise<void> {
  const lance = await loadLance();
  const connection = await lance.connect(location.text + folder.replace(/\/$/, ''), {
    storageOptions: location.lance,
  });
  try {
    for (const table of await connection.tableNames())
      if (!table.endsWith(name)) await connection.dropTable(table);
  } finally {
    connection.close();
  }
}

/** Wraps an object so that errors of its methods are passed to `failing`, which throws another error. */
function guarded<T extends object>(target: T, failing: (error: unknown) => never): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(object, args);
        if (result instanceof Promise) return result.catch(failing);
        return isIterable(result) ? guardedItems(result, failing) : result;
      };
    },
  });
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

async function* guardedItems(items: AsyncIterable<unknown>, failing: (error: unknown) => never) {
  try {
    yield* items;
  } catch (error) {
    failing(error);
  }
}
