/** What pages read from the service: kept by key, shown at once when asked for again, and read anew in the background. */
import { useCallback, useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { scopeOf, useOwner } from './owner.ts';

export interface Resource<T> {
  /** The last that was read; undefined before the first. */
  data: T | undefined;
  /** Why the last reading failed; undefined where it did not. */
  error: Error | undefined;
}

interface Entry {
  resource: Resource<unknown>;
  /** Undefined until the first who uses it says. */
  load: (() => Promise<unknown>) | undefined;
  readAt: number;
  reading: Promise<void> | undefined;
  /** Was changed while it was read: what comes may be of before. */
  stale: boolean;
  listeners: Set<() => void>;
}

const FRESH_MS = 1_000;
const MOST_KEPT = 200;
const NOTHING: Resource<never> = { data: undefined, error: undefined };
const entries = new Map<string, Entry>();

/** By key and by owner, where an operator reads what belongs to others. `load` is called when the key is first used or used again, and when it is invalidated: it depends on the key alone. */
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

/** Everything whose key begins with `prefix` is read anew, now where it is shown, else when it is next. */
export function invalidate(prefix = ''): void {
  for (const [key, entry] of entries) {
    if (!key.startsWith(prefix)) continue;
    entry.readAt = 0;
    entry.stale = entry.reading !== undefined;
    if (entry.listeners.size > 0) void read(entry);
    else if (!entry.reading) entries.delete(key);
  }
}

/** Forgets everything, as somebody else may look now. */
export function forgetAll(): void {
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
    // The first is shown even so: changes that come quicker than it is read would hide it forever.
    if (!entry.stale || entry.resource.data === undefined) show(entry, { data, error: undefined });
  } catch (error) {
    show(entry, { data: entry.resource.data, error: error instanceof Error ? error : new Error(`${error}`) });
  }
}

function show(entry: Entry, resource: Resource<unknown>): void {
  entry.resource = resource;
  for (const listener of entry.listeners) listener();
}

/** The oldest that nobody shows go first. */
function prune(): void {
  for (const [key, { listeners }] of entries) {
    if (entries.size <= MOST_KEPT) return;
    if (listeners.size === 0) entries.delete(key);
  }
}
