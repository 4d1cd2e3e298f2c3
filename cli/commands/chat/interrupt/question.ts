/** The question of a waiting thread as text, and the person's answer as the value to resume with. */
import { shown } from '../../../terminal/style.ts';

export function questionOf(value: unknown): string {
  if (isApproval(value)) {
    return `${shown(value.explanation)}\n\n${shown(value.sql)}\n\nRun this? y, n, or the SQL to run instead.\n`;
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return `${shown(text)}\nAnswer with JSON; anything else is sent as text.\n`;
}

export function answerTo(value: unknown, words: string): unknown {
  const text = words.trim();
  if (isApproval(value)) {
    if (/^y(es)?$/i.test(text)) return { approved: true };
    if (/^no?$/i.test(text)) return { approved: false };
    return { approved: true, sql: text };
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A query that the SQL agent wants approved. */
function isApproval(value: unknown): value is { sql: string; explanation: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'sql' in value &&
    typeof value.sql === 'string' &&
    'explanation' in value &&
    typeof value.explanation === 'string'
  );
}
