/** Names in the statements of these commands: always in quotation marks, since any word may be one of DuckDB's. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
