/** Answers questions about the tables themselves from the schema, without a statement. */
import type { Table } from '../../../sql/engine.ts';

const TABLES =
  /^\W*(please\s+)?(what|which|list|show|name|tell me|give me|describe)\b(?:\s+(?:me|us|all|of|the|are|is|do|does|you|we|have|there|which|what|your|database|data|available))*\s+(tables?|schema|database)\b(?!\s+of\b)/i;
const COLUMNS =
  /^\W*(please\s+)?(what|which|list|show|name|tell me|give me|describe)\b.*\b(columns?|fields?|attributes?)\b/i;
const DESCRIBED = /^\W*(please\s+)?describe\b/i;

/** The answer as one sentence, or one line per table; undefined for any other question. */
export function schemaAnswer(question: string, tables: readonly Table[]): string | undefined {
  const named = tables.filter(({ name }) => new RegExp(`\\b${RegExp.escape(name)}\\b`, 'i').test(question));
  if (COLUMNS.test(question) || (DESCRIBED.test(question) && named.length > 0)) {
    return (named.length > 0 ? named : tables).map(described).join('\n');
  }
  if (!TABLES.test(question)) return undefined;
  const list = tables.map(({ name, rows }) => `${name} (${rows} ${rows === 1 ? 'row' : 'rows'})`);
  return `There ${tables.length === 1 ? 'is one table' : `are ${tables.length} tables`}: ${list.join(', ')}.`;
}

function described({ name, rows, columns }: Table): string {
  const all = columns.map((column) => `${column.name} (${column.type})`).join(', ');
  return `${name}, ${rows} ${rows === 1 ? 'row' : 'rows'}: ${all}.`;
}
