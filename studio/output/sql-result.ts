/** Parses the SQL agent's structured result. */

export interface SqlResultData {
  sql: string;
  columns: { name: string; type: string }[];
  rows: Record<string, unknown>[];
  rowCount: number;
  truncated: boolean;
  /** Which limits cut off rows or values, as text. */
  cut: string;
  durationMs: number | undefined;
  chart: Record<string, unknown> | undefined;
  checks: string[];
}

export function sqlResultIn(data: unknown): SqlResultData | undefined {
  const given = (data ?? {}) as Record<string, unknown>;
  const { sql, columns, rows, row_count, truncated, cuts, duration_ms, chart, checks } = given;
  if (typeof sql !== 'string' || sql === '' || !Array.isArray(columns) || !Array.isArray(rows))
    return undefined;
  return {
    sql,
    columns: columns.map(({ name, type }) => ({ name: String(name), type: String(type ?? '') })),
    rows,
    rowCount: typeof row_count === 'number' ? row_count : rows.length,
    truncated: truncated === true,
    cut: Array.isArray(cuts) ? cuts.map(cutText).join(', ') : '',
    durationMs: typeof duration_ms === 'number' ? duration_ms : undefined,
    chart: typeof chart === 'object' && chart !== null ? (chart as Record<string, unknown>) : undefined,
    checks: Array.isArray(checks) ? checks.map(String) : [],
  };
}

function cutText(cut: unknown): string {
  const { limit, at } = (cut ?? {}) as { limit?: unknown; at?: unknown };
  const figure = Number(at).toLocaleString('en');
  return limit === 'cells' ? `values cut at ${figure} characters` : `cut at ${figure} ${String(limit)}`;
}

/** The answer without the SQL statement and the table, which have their own views. */
export function proseOf(content: string, { sql }: SqlResultData): string {
  const statement = content.indexOf(sql);
  if (statement < 0) return content;
  return content
    .slice(0, statement)
    .replace(/\n`{3,}sql\n$/, '')
    .trim();
}

export function csvOf({ columns, rows }: SqlResultData): string {
  const line = (cells: unknown[]) => cells.map(csvCell).join(',');
  const names = columns.map(({ name }) => name);
  return [line(names), ...rows.map((row) => line(names.map((name) => row[name])))].join('\r\n');
}

// Prefix text that a spreadsheet would run as a formula.
function csvCell(value: unknown): string {
  const text = cellText(value);
  const inert = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
