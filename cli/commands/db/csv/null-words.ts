/** The words that people write for a missing value. */
import { literal } from '../../../../tools/sql/quote.ts';

const NULL_WORDS = ['na', 'n/a', '#n/a', '-', '--', 'null', 'none', 'nan', '\\n'];

/** The condition in SQL. */
export function isNullWord(text: string): string {
  return `lower(${text}) IN (${NULL_WORDS.map(literal).join(', ')})`;
}
