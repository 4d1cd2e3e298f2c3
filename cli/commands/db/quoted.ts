/** Quoted names for the statements of these commands: any word may be a keyword of DuckDB. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
