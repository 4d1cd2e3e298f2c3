/** The tables for the rules: the role of each column, and the words by which a question may name tables and columns. */
import type { Table } from '../../../../sql/engine.ts';
import { CUT } from '../../../../text/untrusted-json.ts';
import { stem } from '../../language/text.ts';
import { folded, tokens } from '../tokens.ts';

type Role = 'key' | 'date' | 'number' | 'text' | 'other';

export interface Field {
  entity: Entity;
  name: string;
  stems: string[];
  /** The stems, joined by spaces. */
  called: string;
  role: Role;
  /** Whether dates are stored as text, which must be cast. */
  isTextDate: boolean;
  /** The known values of a text column, by the stems of their words. */
  values: Map<string, string>;
  longest: number;
}

export interface Entity {
  name: string;
  stems: string[];
  called: string;
  fields: Field[];
}

export function catalog(tables: readonly Table[]): Entity[] {
  return tables.map(({ name, columns }) => {
    const stems = stemsOf(name);
    const entity: Entity = { name, stems, called: stems.join(' '), fields: [] };
    entity.fields = columns.map((column) => fieldOf(entity, column));
    return entity;
  });
}

function fieldOf(entity: Entity, { name, type, samples }: Table['columns'][number]): Field {
  const stems = stemsOf(name);
  const texts = samples.filter((value) => typeof value === 'string');
  const isText = /CHAR|TEXT|STRING|ENUM/i.test(type);
  const isTextDate = isText && texts.length > 0 && texts.every((text) => /^\d{4}-\d{2}-\d{2}/.test(text));
  const values = isText && !isTextDate ? texts.filter((text) => !text.endsWith(CUT)) : [];
  return {
    entity,
    name,
    stems,
    called: stems.join(' '),
    role: isTextDate ? 'date' : roleOf(name, type),
    isTextDate,
    values: new Map(values.map((value) => [valueKey(value), value] as const).filter(([key]) => key !== '')),
    longest: Math.max(0, ...texts.map((text) => text.length)),
  };
}

function valueKey(value: string): string {
  return tokens(value)
    .map((token) => token.stem)
    .join(' ');
}

function roleOf(name: string, type: string): Role {
  if (/^(?:id|uuid|key)$|[a-z_](?:_id|_key|_uuid|Id|ID)$/.test(name)) return 'key';
  if (/DATE|TIMESTAMP/i.test(type)) return 'date';
  if (/INT|DEC|NUM|DOUBLE|FLOAT|REAL|MONEY/i.test(type)) return 'number';
  return /CHAR|TEXT|STRING|ENUM/i.test(type) ? 'text' : 'other';
}

/** The stems of a name. `list_price`, `listPrice` and `List Price` have the same two words. */
export function stemsOf(name: string): string[] {
  return folded(name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\W]+/g, ' '))
    .split(' ')
    .filter((word) => word !== '')
    .map(stem);
}

/** Groups of words with the same meaning in business. They are tried for a word that names nothing itself. */
const SYNONYMS = [
  'store shop branch outlet location',
  'product bike bicycle item article model',
  'customer client buyer shopper',
  'sale order purchase transaction',
  'stock inventory',
  'review feedback opinion comment',
  'employee staff worker',
  'category type kind sort',
  'city town place',
  'country nation state',
  'rating star score grade',
  'brand manufacturer make maker',
  'price cost amount',
  'quantity unit piece number count amount',
].map((line) => line.split(' ').map(stem));

export function synonyms(of: string): string[] {
  return SYNONYMS.filter((group) => group.includes(of)).flatMap((group) =>
    group.filter((word) => word !== of),
  );
}

export function isCalled({ stems }: { stems: string[] }, ...names: string[]): boolean {
  return names.some((name) => stems.includes(stem(name)));
}
