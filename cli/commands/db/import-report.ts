/** What an import says when it is done: rows, resulting types, and what was left out. */
import { printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import type { CsvReport } from './csv/import-csv.ts';

export interface Imported extends Omit<CsvReport, 'skipped' | 'before'> {
  /** Of CSV files. */
  skipped?: CsvReport['skipped'];
  before?: number;
}

export function printReport(title: string, { columns, skipped, before = 0 }: Imported): void {
  print(printable(title));
  const names = columns.map(({ name }) => printable(name));
  const width = Math.max(...names.map((each) => each.length));
  const typeWidth = Math.max(...columns.map(({ type }) => Math.min(type.length, 30)));
  for (const [index, { type, notes }] of columns.entries()) {
    const line = `  ${names[index]?.padEnd(width)}  ${printable(type).padEnd(typeWidth)}  ${printable(notes.join('; '))}`;
    print(line.trimEnd());
  }
  if (before > 0)
    print(`${counted(before, 'line')} before the header ${before === 1 ? 'is' : 'are'} left out`);
  if (skipped && skipped.count > 0) printSkipped(skipped);
}

function printSkipped({ count, first }: CsvReport['skipped']): void {
  print(
    `${counted(count, 'row')} ${count === 1 ? 'does' : 'do'} not fit and ${count === 1 ? 'was' : 'were'} left out:`,
  );
  for (const { line, reason, text } of first) print(printable(`  line ${line}: ${reason}: ${text}`));
  if (count > first.length) print(`  and ${counted(count - first.length, 'row')} more`);
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
