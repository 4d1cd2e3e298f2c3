/** The queue of uploads to the knowledge base, which are sent one after the other. */
import { useEffect, useSyncExternalStore } from 'react';
import { documentExists, upload } from '../data/knowledge.ts';
import { invalidate } from '../service/resources.ts';
import { onLogout } from '../session/session.ts';
import { uploadName, uploadProblem } from './upload-name.ts';

export interface Upload {
  key: string;
  /** The name of the file. */
  given: string;
  /** The name of the document. */
  name: string;
  state: 'waiting' | 'asks' | 'sending' | 'indexing' | 'done' | 'failed';
  /** The fraction that has been sent, from 0 to 1. */
  sent: number;
  error: Error | undefined;
  /** The number of passages in the indexed document. */
  passages: number;
}

export interface Uploads {
  list: Upload[];
  add(files: Iterable<File>): void;
  /** Uploads the file and replaces the existing document. */
  replace(key: string): void;
  dismiss(key: string): void;
}

// In the module, so that uploads continue while you visit other pages.
let list: Upload[] = [];
const files = new Map<string, File>();
/** The keys of uploads that may replace a document. */
const replacing = new Set<string>();
const listeners = new Set<() => void>();
let busy = false;
let count = 0;

onLogout(() => {
  files.clear();
  replacing.clear();
  list = [];
  notify();
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
    const problem = uploadProblem(name, file);
    const key = `upload-${++count}`;
    if (!problem) files.set(key, file);
    const error = problem === undefined ? undefined : new Error(problem);
    const state = problem === undefined ? 'waiting' : 'failed';
    list = [...list, { key, given: file.name, name, state, sent: 0, error, passages: 0 }];
  }
  notify();
  void work();
}

function replace(key: string): void {
  change(key, { state: 'waiting' });
  void work(key);
}

function dismiss(key: string): void {
  files.delete(key);
  list = list.filter((one) => one.key !== key);
  notify();
}

async function work(replaced?: string): Promise<void> {
  if (replaced) replacing.add(replaced);
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
    if (!replacing.has(key) && (await documentExists(name))) return change(key, { state: 'asks' });
    change(key, { state: 'sending' });
    const { state, chunks, error } = await upload(name, file, (sent) =>
      change(key, { sent, state: sent < 1 ? 'sending' : 'indexing' }),
    );
    if (state === 'failed') throw new Error(error ?? "Couldn't read the document.");
    change(key, { state: 'done', sent: 1, passages: chunks });
  } catch (error) {
    change(key, { state: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  }
  files.delete(key);
  replacing.delete(key);
  invalidate('documents');
  invalidate('document:');
}

function change(key: string, changes: Partial<Upload>): void {
  list = list.map((one) => (one.key === key ? { ...one, ...changes } : one));
  notify();
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

function notify(): void {
  for (const listener of listeners) listener();
}
