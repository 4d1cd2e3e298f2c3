/** LangGraph's store over the items of one owner: what a graph finds as `config.store`. */
import {
  BaseStore,
  type GetOperation,
  type ListNamespacesOperation,
  type MatchCondition,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from '@langchain/langgraph-checkpoint';
import { checkKey, checkNamespace, encodeValue, InvalidItemError, timeToLive } from './bounds.ts';
import type { ItemChange, ItemReading, Items } from './items.ts';

/** As LangGraph's stores on databases take them: the operations of its types know nothing of a time to live. */
export interface PutOptions {
  /** Minutes after the last write or read at which the item expires. */
  ttl?: number | undefined;
}

export interface SearchOptions extends Partial<Omit<SearchOperation, 'namespacePrefix'>> {
  /** False: what is read does not get its whole time to live again. */
  refreshTtl?: boolean;
}

type Put = PutOperation & { options?: PutOptions | undefined };
type Read = (GetOperation | SearchOperation) & { refreshTtl?: boolean };

/** There is no index: as in LangGraph's store without one, `query` does not rank and `index` does nothing. */
export class ItemStore extends BaseStore {
  readonly #items: Items;
  readonly #owner: string;
  readonly #now: () => number;

  constructor(items: Items, owner: string, now: () => number = Date.now) {
    super();
    this.#items = items;
    this.#owner = owner;
    this.#now = now;
  }

  /** Reads come before writes, and the writes are all or nothing. */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const changes = operations.filter(isPut).map(changeOf);
    // Without a wait before it where nothing is read: what is asked for next must see the writes.
    const onlyWrites = changes.length === operations.length;
    const results = onlyWrites ? operations.map(() => undefined) : await this.#readAll(operations);
    if (changes.length > 0) await this.#items.change(this.#owner, changes, this.#now());
    return results as OperationResults<Op>;
  }

  override async put(
    namespace: string[],
    key: string,
    value: PutOperation['value'] & object,
    index?: PutOperation['index'],
    options?: PutOptions,
  ): Promise<void> {
    validateNamespace(namespace);
    const put: Put = { namespace, key, value, ...(index === undefined ? {} : { index }), options };
    await this.batch([put]);
  }

  override async search(namespacePrefix: string[], options: SearchOptions = {}): Promise<SearchItem[]> {
    const search: SearchOperation & SearchOptions = { ...options, namespacePrefix };
    const [found = []] = await this.batch([search]);
    return found;
  }

  #readAll(operations: Operation[]): Promise<unknown[]> {
    return Promise.all(operations.map((operation) => this.#read(operation)));
  }

  async #read(operation: Operation): Promise<unknown> {
    if (isPut(operation)) return undefined;
    if ('namespacePrefix' in operation) return this.#search(operation);
    if ('namespace' in operation) return this.#get(operation);
    const all = await this.#items.namespaces(this.#owner, this.#now());
    return listed(all, operation);
  }

  async #get(get: GetOperation) {
    const { namespace, key } = get;
    checkNamespace(namespace, { allowEmpty: true });
    checkKey(key);
    return (await this.#items.get(this.#owner, { namespace, key }, this.#reading(get))) ?? null;
  }

  async #search(search: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix: prefix, filter, limit = 10, offset = 0 } = search;
    checkNamespace(prefix, { allowEmpty: true });
    checkRange(limit, offset);
    const query = { prefix, filter, limit, offset };
    return this.#items.search(this.#owner, query, this.#reading(search));
  }

  #reading({ refreshTtl: refresh = true }: Read): ItemReading {
    return { now: this.#now(), refresh };
  }
}

function isPut(operation: Operation): operation is Put {
  return 'value' in operation;
}

function changeOf({ namespace, key, value, options }: Put): ItemChange {
  checkNamespace(namespace);
  checkKey(key);
  return { namespace, key, text: value === null ? null : encodeValue(value), ttl: timeToLive(options?.ttl) };
}

function listed(all: string[][], operation: ListNamespacesOperation): string[][] {
  const { matchConditions = [], maxDepth, limit = Number.POSITIVE_INFINITY, offset = 0 } = operation;
  checkRange(limit, offset);
  const found = new Map<string, string[]>();
  for (const namespace of all) {
    if (!matchConditions.every((condition) => isMatch(namespace, condition))) continue;
    const cut = namespace.slice(0, maxDepth);
    // So that names are in the order of their labels.
    found.set(cut.join('\0'), cut);
  }
  const names = [...found.keys()].sort().slice(offset, offset + limit);
  return names.flatMap((name) => [found.get(name) ?? []]);
}

function isMatch(namespace: string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === '*' || label === namespace[start + index]);
}

function checkRange(limit: number, offset: number): void {
  if (!(limit >= 0 && offset >= 0))
    throw new InvalidItemError('limit and offset must be numbers of at least 0.');
}
