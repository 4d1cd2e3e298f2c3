/** The report of an import: rows, resulting types, and what was left out. */
import { printable } from '../../terminal/plain-errors.ts';
import { print } from '../../terminal/print.ts';
import type { CsvReport } from './csv/import-csv.ts';

export interface Imported extends Pick<CsvReport, 'columns' | 'rows'> {
  /** For CSV files. */
  details?: Pick<CsvReport, 'skipped' | 'short' | 'before'>;
}

export function printReport(title: string, { columns, details }: Imported): void {
  print(printable(title));
  const names = columns.map(({ name }) => printable(name));
  const width = Math.max(...names.map((each) => each.length));
  const typeWidth = Math.max(...columns.map(({ type }) => Math.min(type.length, 30)));
  for (const [index, { type, notes }] of columns.entries()) {
    const line = `  ${names[index]?.padEnd(width)}  ${printable(type).padEnd(typeWidth)}  ${printable(notes.join('; '))}`;
    print(line.trimEnd());
  }
  if (details) printLeft(details);
}

function printLeft({ before, short, skipped }: NonNullable<Imported['details']>): void {
  if (before.count > 0) {
    print(
      `${counted(before.count, 'line')} before the rows ${before.count === 1 ? 'was' : 'were'} left out:`,
    );
    for (const line of before.first) print(printable(`  ${line}`));
  }
  if (short.count > 0)
    printRows(`${counted(short.count, 'row')} with missing values, which are NULL:`, short);
  if (skipped.count > 0)
    printRows(
      `${counted(skipped.count, 'row')} did not fit and ${skipped.count === 1 ? 'was' : 'were'} left out:`,
      skipped,
    );
}

function printRows(title: string, { count, first }: CsvReport['skipped']): void {
  print(title);
  for (const { line, reason, text } of first) print(printable(`  line ${line}: ${reason}: ${text}`));
  if (count > first.length) print(`  and ${counted(count - first.length, 'row')} more`);
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
