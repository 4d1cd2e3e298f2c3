/** The types of MySQL's protocol. */
import type { RawColumn } from './bun-client.ts';
import type { Kind } from './cells.ts';

export interface MysqlType {
  name: string;
  kind: Kind;
  /** Whether a value may have any length. */
  long: boolean;
}

const UNSIGNED = 32;

/** Source: the field types of the MySQL client/server protocol. */
const TYPES: Record<number, [name: string, kind: Kind]> = {
  0: ['decimal', 'decimal'],
  1: ['tinyint', 'integer'],
  2: ['smallint', 'integer'],
  3: ['int', 'integer'],
  4: ['float', 'float'],
  5: ['double', 'float'],
  7: ['timestamp', 'timestamp'],
  8: ['bigint', 'integer'],
  9: ['mediumint', 'integer'],
  10: ['date', 'text'],
  11: ['time', 'text'],
  12: ['datetime', 'timestamp'],
  13: ['year', 'integer'],
  246: ['decimal', 'decimal'],
};

const LONG: Record<number, string> = {
  15: 'varchar',
  16: 'bit',
  245: 'json',
  247: 'enum',
  248: 'set',
  249: 'tinyblob',
  250: 'mediumblob',
  251: 'longblob',
  252: 'blob',
  253: 'varchar',
  254: 'char',
  255: 'geometry',
};

export function mysqlType({ type, flags }: RawColumn): MysqlType {
  const [name, kind] = TYPES[type] ?? [LONG[type] ?? 'text', 'text'];
  const unsigned = kind === 'integer' && type !== 13 && (flags & UNSIGNED) !== 0;
  return { name: unsigned ? `${name} unsigned` : name, kind, long: !(type in TYPES) };
}
