/** Ends its own process with SIGKILL before or after the transaction that the file `kill-at` in the working folder names. */
import { readFileSync, rmSync, writeSync } from 'node:fs';

// `before agent 3`: the transaction with what the third agent has finished has done its work and is not committed;
// `after agent 3`: it is, and nobody knows. By kind, because when events and the first checkpoints are stored, and with
// what, is a matter of milliseconds. Counted from the first transaction that finds the file, or another text in it.
const FILE = 'kill-at';

export type Kind = 'accept' | 'agent' | 'other' | 'end';

let counted: string | undefined;
let commits: Partial<Record<Kind, number>> = {};

/** To be called before a transaction commits; gives what is to be called after it. `about` is printed. */
export function beforeCommit(kind: Kind, about: string): () => void {
  const target = asked();
  if (target !== counted) commits = {};
  counted = target;
  const number = (commits[kind] ?? 0) + 1;
  commits[kind] = number;
  killAt(target, `before ${kind} ${number}`, about);
  return () => killAt(target, `after ${kind} ${number}`, about);
}

function asked(): string | undefined {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return undefined;
  }
}

function killAt(target: string | undefined, here: string, about: string): void {
  if (here !== target) return;
  // Not again at the next start.
  rmSync(FILE);
  // At once: a stream of the process would not be written before it ends.
  writeSync(2, `killed ${here}: ${about}\n`);
  process.kill(process.pid, 'SIGKILL');
}
