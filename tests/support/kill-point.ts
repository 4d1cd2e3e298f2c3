/** Kills its process with SIGKILL before or after the transaction that the file `kill-at` in the working folder selects. */
import { readFileSync, rmSync, writeSync } from 'node:fs';

// `before agent 3`: the transaction with the result of the third agent has been executed but not committed; `after agent 3`: it
// has been committed, but the service doesn't know. Transactions are counted by kind, because the timing and grouping of events
// and the first checkpoints vary. Counting starts with the first transaction that finds the file or a new text in it.
const FILE = 'kill-at';

export type Kind = 'accept' | 'agent' | 'other' | 'end';

let counted: string | undefined;
let commits: Partial<Record<Kind, number>> = {};

/** Must be called before a commit; returns a function to call after it. `about` is printed. */
export function beforeCommit(kind: Kind, about: string): () => void {
  const target = requestedPoint();
  if (target !== counted) commits = {};
  counted = target;
  const number = (commits[kind] ?? 0) + 1;
  commits[kind] = number;
  killAt(target, `before ${kind} ${number}`, about);
  return () => killAt(target, `after ${kind} ${number}`, about);
}

function requestedPoint(): string | undefined {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return undefined;
  }
}

function killAt(target: string | undefined, here: string, about: string): void {
  if (here !== target) return;
  // So that the next start isn't killed again.
  rmSync(FILE);
  // Synchronous, because a stream would not be flushed before the kill.
  writeSync(2, `killed ${here}: ${about}\n`);
  process.kill(process.pid, 'SIGKILL');
}
