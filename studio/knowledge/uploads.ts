/** Files on their way into the knowledge base: one after the other, each with its own end. */
import { useEffect, useSyncExternalStore } from 'react';
import { documentExists, upload } from '../data/knowledge.ts';
import { invalidate } from '../resources.ts';
import { onLogout } from '../session.ts';
import { refusalOf, uploadName } from './upload-name.ts';

export interface Upload {
  key: string;
  /** What it is called here, and what it will be called there. */
  given: string;
  name: string;
  state: 'waiting' | 'asks' | 'sending' | 'indexing' | 'done' | 'failed';
  /** Of its bytes, 0 to 1. */
  sent: number;
  error: Error | undefined;
  /** How many passages came of it. */
  passages: number;
}

export interface Uploads {
  list: Upload[];
  add(files: Iterable<File>): void;
  /** Takes the place of the document that has its name. */
  replace(key: string): void;
  dismiss(key: string): void;
}

// They go on while other pages are looked at.
let list: Upload[] = [];
const files = new Map<string, File>();
/** Whose documents may be replaced. */
const wanted = new Set<string>();
const listeners = new Set<() => void>();
let busy = false;
let count = 0;

onLogout(() => {
  files.clear();
  wanted.clear();
  list = [];
  tell();
});

export function useUploads(): Uploads {
  const shown = useSyncExternalStore(subscribe, () => list);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (list.some(isUnderWay)) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  return { list: shown, add, replace, dismiss };
}

export function isUnderWay({ state }: Upload): boolean {
  return state === 'waiting' || state === 'sending' || state === 'indexing';
}

function add(given: Iterable<File>): void {
  for (const file of given) {
    const name = uploadName(file.name);
    const refusal = refusalOf(name, file);
    const key = `upload-${++count}`;
    if (!refusal) files.set(key, file);
    const error = refusal === undefined ? undefined : new Error(refusal);
    const state = refusal === undefined ? 'waiting' : 'failed';
    list = [...list, { key, given: file.name, name, state, sent: 0, error, passages: 0 }];
  }
  tell();
  void work();
}

function replace(key: string): void {
  change(key, { state: 'waiting' });
  void work(key);
}

function dismiss(key: string): void {
  files.delete(key);
  list = list.filter((one) => one.key !== key);
  tell();
}

async function work(asked?: string): Promise<void> {
  if (asked) wanted.add(asked);
  if (busy) return;
  busy = true;
  for (let next = waiting(); next; next = waiting()) await send(next);
  busy = false;
}

function waiting(): Upload | undefined {
  return list.find(({ state }) => state === 'waiting');
}

async function send({ key, name }: Upload): Promise<void> {
  const file = files.get(key);
  if (!file) return dismiss(key);
  try {
    if (!wanted.has(key) && (await documentExists(name))) return change(key, { state: 'asks' });
    change(key, { state: 'sending' });
    const { state, chunks, error } = await upload(name, file, (sent) =>
      change(key, { sent, state: sent < 1 ? 'sending' : 'indexing' }),
    );
    if (state === 'failed') throw new Error(error ?? 'The document cannot be read.');
    change(key, { state: 'done', sent: 1, passages: chunks });
  } catch (error) {
    change(key, { state: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  }
  files.delete(key);
  wanted.delete(key);
  invalidate('documents');
  invalidate('document:');
}

function change(key: string, changes: Partial<Upload>): void {
  list = list.map((one) => (one.key === key ? { ...one, ...changes } : one));
  tell();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

function tell(): void {
  for (const listener of listeners) listener();
}
