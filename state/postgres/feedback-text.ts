/**
 * SQL conditions on the JSON text of feedback. PostgreSQL can't parse all of it: a comment may contain NUL. A text search is exact,
 * because quotes inside of strings are escaped, and no other object in the text has the same fields.
 */

/** The value of the field starts with one of these texts. LIKE, because the planner estimates it from the statistics. */
export function hasValue(column: string, field: string, starts: readonly string[]): string {
  const name = field.replaceAll('_', String.raw`\_`);
  return `(${starts.map((start) => `${column} LIKE '%"${name}":${start}%'`).join(' OR ')})`;
}

/** A rating is an integer from 1 to 5, so a number has one digit. */
export const numbersTo = (most: number): string[] =>
  Array.from({ length: most }, (_, index) => `${index + 1}`);

/** The condition of `badAnswers`, for its partial index. */
export const IS_BAD = `(${hasValue('body', 'positive_feedback', ['false'])} OR ${hasValue('body', 'rating', numbersTo(2))})`;
