/** The processes that hold a database, as Linux lists them. */
import { existsSync, readFileSync } from 'node:fs';

/** Returns an empty list on platforms without /proc. */
export function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(list)) return [];
  const all = readFileSync(list, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return all.filter((child) => commandOf(child).includes('duckdb/process/process.ts'));
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
