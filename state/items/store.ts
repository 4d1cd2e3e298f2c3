/** LangGraph's store with the items of one owner, which graphs use as `config.store`. */
import {
  BaseStore,
  type GetOperation,
  type Item,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  validateNamespace,
} from '@langchain/langgraph-checkpoint';
import { checkKey, checkNamespace, checkRange, encodeValue, timeToLive } from './bounds.ts';
import { embedItems, embedQueries, type ItemIndex, textsToEmbed } from './embedding.ts';
import type { ItemChange, ItemLife, ItemReading, Items } from './items.ts';
import { listedNamespaces } from './list-namespaces.ts';
import type { QueryVector } from './vectors.ts';
import { writeOrder } from './write-order.ts';

/** Options that LangGraph's database stores accept. The types of its operations lack the time to live. */
export interface PutOptions {
  /** Minutes after the last write or read at which the item expires; null: never, even if there is a default. */
  ttl?: number | null | undefined;
}

export interface SearchOptions extends Partial<Omit<SearchOperation, 'namespacePrefix'>> {
  /** False: reads don't restart the time to live. */
  refreshTtl?: boolean;
}

export interface ItemStoreOptions {
  /** Without an index, `query` and `index` are ignored, as in LangGraph's stores. */
  index?: ItemIndex | undefined;
  ttl?: TtlDefaults | undefined;
  /** Milliseconds since 1970. */
  now?: () => number;
}

export interface TtlDefaults {
  /** Undefined: items that are put without a time to live don't expire. */
  minutes?: number | undefined;
  /** Whether reads restart the time to live unless they specify it. Default: true. */
  refreshOnRead?: boolean | undefined;
}

type Put = PutOperation & { options?: PutOptions | undefined };
type Read = (GetOperation | SearchOperation) & { refreshTtl?: boolean };
type Embedded = Map<string, QueryVector>;

export class ItemStore extends BaseStore {
  readonly #items: Items;
  readonly #owner: string;
  readonly #index: ItemIndex | undefined;
  readonly #ttl: TtlDefaults;
  readonly #now: () => number;
  readonly #order = writeOrder();

  constructor(items: Items, owner: string, { index, ttl = {}, now = Date.now }: ItemStoreOptions = {}) {
    super();
    this.#items = items;
    this.#owner = owner;
    this.#index = index;
    this.#ttl = ttl;
    this.#now = now;
  }

  /** Reads don't see the writes of the same batch. The writes are one transaction; operations called later see them. */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const puts = operations.filter(isPut);
    const changes = puts.map((put) => this.#changeOf(put));
    const texts = this.#textsOf(puts);
    const onlyWrites = puts.length === operations.length;
    // Write without a delay if there is nothing to wait for, so that concurrent writes share a transaction.
    if (onlyWrites && texts.length === 0 && !this.#order.ahead()) {
      if (changes.length > 0) await this.#items.change(this.#owner, changes, this.#now());
      return operations.map(() => undefined) as OperationResults<Op>;
    }
    const reading = onlyWrites ? operations.map(() => undefined) : this.#readAll(operations);
    if (changes.length === 0) return (await reading) as OperationResults<Op>;
    const ready = Promise.all([this.#embedded(changes, texts), reading]);
    await this.#order.inTurn(ready, ([embedded]) => this.#items.change(this.#owner, embedded, this.#now()));
    return (await reading) as OperationResults<Op>;
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

  override async search(
    namespacePrefix: string[],
    options: SearchOptions = {},
  ): Promise<(SearchItem & ItemLife)[]> {
    const search: SearchOperation & SearchOptions = { ...options, namespacePrefix };
    const [found = []] = await this.batch([search]);
    return found;
  }

  override async get(
    namespace: string[],
    key: string,
    options: Pick<SearchOptions, 'refreshTtl'> = {},
  ): Promise<(Item & ItemLife) | null> {
    const get: GetOperation & SearchOptions = { ...options, namespace, key };
    const [found = null] = await this.batch([get]);
    return found;
  }

  #changeOf({ namespace, key, value, options }: Put): ItemChange {
    checkNamespace(namespace);
    checkKey(key);
    const minutes = options?.ttl === undefined ? this.#ttl.minutes : options.ttl;
    const text = value === null ? null : encodeValue(value);
    return { namespace, key, text, ttl: timeToLive(minutes), vectors: null };
  }

  /** The texts to embed of each put; empty if no put has any. */
  #textsOf(puts: Put[]): string[][] {
    const index = this.#index;
    if (!index) return [];
    const texts = puts.map((put) => textsToEmbed(index, put));
    return texts.some((own) => own.length > 0) ? texts : [];
  }

  async #embedded(changes: ItemChange[], texts: string[][]): Promise<ItemChange[]> {
    if (!this.#index || texts.length === 0) return changes;
    const vectors = await embedItems(this.#index, texts);
    return changes.map((change, at) => ({ ...change, vectors: vectors[at] ?? null }));
  }

  async #readAll(operations: Operation[]): Promise<unknown[]> {
    const queries = this.#index ? operations.flatMap(queryOf) : [];
    const ahead = this.#order.ahead();
    let embedded: Embedded = new Map();
    // Without queries, don't wait here: the reads must not see a write that is called next.
    if (this.#index && queries.length > 0) embedded = await embedQueries(this.#index, queries);
    if (ahead) await ahead;
    return Promise.all(operations.map((operation) => this.#read(operation, embedded)));
  }

  async #read(operation: Operation, embedded: Embedded): Promise<unknown> {
    if (isPut(operation)) return undefined;
    if ('namespacePrefix' in operation) return this.#search(operation, embedded);
    if ('namespace' in operation) return this.#get(operation);
    return listedNamespaces(await this.#items.namespaces(this.#owner, this.#now()), operation);
  }

  async #get(get: GetOperation) {
    const { namespace, key } = get;
    checkNamespace(namespace, { allowEmpty: true });
    checkKey(key);
    return (await this.#items.get(this.#owner, { namespace, key }, this.#reading(get))) ?? null;
  }

  async #search(search: SearchOperation, embedded: Embedded): Promise<SearchItem[]> {
    const { namespacePrefix: prefix, filter, limit = 10, offset = 0, query } = search;
    checkNamespace(prefix, { allowEmpty: true });
    checkRange(limit, offset);
    const near = query ? embedded.get(query) : undefined;
    return this.#items.search(this.#owner, { prefix, filter, near, limit, offset }, this.#reading(search));
  }

  #reading({ refreshTtl = this.#ttl.refreshOnRead ?? true }: Read): ItemReading {
    return { now: this.#now(), refresh: refreshTtl };
  }
}

function queryOf(operation: Operation): string[] {
  return 'namespacePrefix' in operation && operation.query ? [operation.query] : [];
}

function isPut(operation: Operation): operation is Put {
  return 'value' in operation;
}
