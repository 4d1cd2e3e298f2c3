/** Columns for unknown fields of a document. */
import type { ColumnType, TableCell } from 'skein';

type Fields = Record<string, unknown>;

export interface ExtraColumn {
  name: string;
  type: ColumnType;
  cell(fields: Fields): TableCell;
}

const MAX_COLUMNS = 12;
// `__proto__` would need special care in row objects, and no document needs it.
const NAME = /^(?!__proto__$)[\p{L}_][\p{L}\p{N}_ -]{0,39}$/u;

/** The first twelve fields with plain values and plain names. Databases treat `Name` and `name` as the same column. */
export function extraColumns(rows: readonly Fields[], taken: readonly string[]): ExtraColumn[] {
  const found = new Map<string, Set<ColumnType>>();
  const names = new Set(taken);
  for (const fields of rows) {
    for (const [name, value] of Object.entries(fields)) {
      const type = typeOf(value);
      if (type === undefined) continue;
      const types = found.get(name);
      if (types) types.add(type);
      else if (found.size < MAX_COLUMNS && NAME.test(name) && !names.has(name.toLowerCase())) {
        names.add(name.toLowerCase());
        found.set(name, new Set([type]));
      }
    }
  }
  return Array.from(found, ([name, types]) => column(name, types));
}

function column(name: string, types: Set<ColumnType>): ExtraColumn {
  const numbers = types.isSubsetOf(new Set<ColumnType>(['BIGINT', 'DOUBLE']));
  const [first = 'VARCHAR'] = types;
  const type = types.size === 1 ? first : numbers ? 'DOUBLE' : 'VARCHAR';
  return {
    name,
    type,
    cell(fields) {
      const value = Object.hasOwn(fields, name) ? fields[name] : null;
      if (typeOf(value) === undefined) return null;
      return type === 'VARCHAR' ? String(value) : (value as TableCell);
    },
  };
}

function typeOf(value: unknown): ColumnType | undefined {
  if (typeof value === 'string') return 'VARCHAR';
  if (typeof value === 'boolean') return 'BOOLEAN';
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isSafeInteger(value) ? 'BIGINT' : 'DOUBLE';
}
