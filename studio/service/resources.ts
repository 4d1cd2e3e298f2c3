/** A cache of the data that pages read from the service: cached data is shown immediately and revalidated in the background. */
import { useCallback, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { scopeOf, useOwner } from '../routing/owner.ts';

export interface Resource<T> {
  /** The latest data; undefined until the first read succeeds. */
  data: T | undefined;
  /** The error of the latest read; undefined if it succeeded. */
  error: Error | undefined;
}

interface Entry {
  resource: Resource<unknown>;
  /** Undefined until a component uses the resource. */
  load: (() => Promise<unknown>) | undefined;
  readAt: number;
  reading: Promise<void> | undefined;
  /** Whether the resource was invalidated during the current read, whose result may be outdated. */
  stale: boolean;
  listeners: Set<() => void>;
}

const FRESH_MS = 1_000;
const MAX_ENTRIES = 200;
const NOTHING: Resource<never> = { data: undefined, error: undefined };
const entries = new Map<string, Entry>();

/**
 * Reads a resource, cached by its key and, for operators, by the owner. `load` is called when a component starts to use the
 * key and when the key is invalidated; it must depend only on the key.
 */
export function useResource<T>(name: string | undefined, load: () => Promise<T>): Resource<T> {
  const owner = useOwner();
  const key = name === undefined ? undefined : scopeOf(name, owner);
  const subscribe = useCallback((changed: () => void) => listen(key, changed), [key]);
  const resource = useSyncExternalStore(
    subscribe,
    () => (key === undefined ? NOTHING : (entries.get(key)?.resource ?? NOTHING)) as Resource<T>,
  );
  const begin = useEffectEvent((used: string) => {
    const entry = entryOf(used);
    entry.load = load;
    if (Date.now() - entry.readAt > FRESH_MS) void read(entry);
  });
  useEffect(() => {
    if (key !== undefined) begin(key);
  }, [key]);
  return resource;
}

/** Reloads everything whose key begins with `prefix`: immediately if it is shown, otherwise at its next use. */
export function invalidate(prefix = ''): void {
  for (const [key, entry] of entries) {
    if (!key.startsWith(prefix)) continue;
    entry.readAt = 0;
    entry.stale = entry.reading !== undefined;
    if (entry.listeners.size > 0) void read(entry);
    else if (!entry.reading) entries.delete(key);
  }
}

/** Clears the cache. Must be called when another person may have logged in. */
export function clearResources(): void {
  for (const [key, entry] of entries) {
    if (entry.listeners.size === 0) entries.delete(key);
    else show(entry, NOTHING);
  }
  invalidate();
}

function listen(key: string | undefined, changed: () => void): () => void {
  if (key === undefined) return () => {};
  const { listeners } = entryOf(key);
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
    prune();
  };
}

function entryOf(key: string): Entry {
  const known = entries.get(key);
  if (known) return known;
  const entry: Entry = {
    ...{ resource: NOTHING, load: undefined, readAt: 0, reading: undefined, stale: false },
    listeners: new Set(),
  };
  entries.set(key, entry);
  return entry;
}

function read(entry: Entry): Promise<void> {
  entry.reading ??= readOnce(entry).finally(() => {
    entry.reading = undefined;
    if (!entry.stale) return;
    entry.stale = false;
    void read(entry);
  });
  return entry.reading;
}

async function readOnce(entry: Entry): Promise<void> {
  if (!entry.load) return;
  entry.readAt = Date.now();
  try {
    const data = await entry.load();
    // The first result is shown even if it is stale: otherwise, data that changes faster than it is read would never appear.
    if (!entry.stale || entry.resource.data === undefined) show(entry, { data, error: undefined });
  } catch (error) {
    show(entry, { data: entry.resource.data, error: error instanceof Error ? error : new Error(`${error}`) });
  }
}

function show(entry: Entry, resource: Resource<unknown>): void {
  entry.resource = resource;
  for (const listener of entry.listeners) listener();
}

/** Removes the oldest entries that no component uses. */
function prune(): void {
  for (const [key, { listeners }] of entries) {
    if (entries.size <= MAX_ENTRIES) return;
    if (listeners.size === 0) entries.delete(key);
  }
}
