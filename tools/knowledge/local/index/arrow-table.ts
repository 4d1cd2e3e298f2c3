/** Builds the Arrow table of rows from typed arrays, because one row object per vector would block the event loop. */
import {
  Field,
  FixedSizeList,
  Float16,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { bodyOf, type Row } from './rows.ts';

export function tableOf(rows: readonly Row[]): Table {
  const chunks = rows.map(({ chunk }) => chunk);
  const columns = [
    text(
      'id',
      chunks.map(({ id }) => id),
    ),
    whole(
      'revision',
      rows.map(({ revision }) => revision),
    ),
    text(
      'parent',
      chunks.map(({ parent }) => parent),
    ),
    text(
      'heading',
      chunks.map(({ heading }) => heading),
    ),
    whole(
      'page',
      chunks.map(({ page }) => page ?? 0),
    ),
    whole(
      'start',
      chunks.map(({ start }) => start),
    ),
    whole(
      'end',
      chunks.map(({ end }) => end),
    ),
    text('body', chunks.map(bodyOf)),
    vectors(rows),
  ];
  const schema = new Schema(columns.map(({ field }) => field));
  const children = columns.map(({ data }) => data);
  const data = makeData({ type: new Struct(schema.fields), length: rows.length, nullCount: 0, children });
  return new Table(schema, new RecordBatch(schema, data));
}

function text(name: string, values: string[]) {
  const type = new Utf8();
  return { field: new Field(name, type, false), data: onlyData(vectorFromArray(values, type)) };
}

function whole(name: string, values: number[]) {
  const type = new Int32();
  return { field: new Field(name, type, false), data: makeData({ type, data: Int32Array.from(values) }) };
}

/** Half-precision floats, so that the index takes half the space. Cosines keep three digits. */
function vectors(rows: readonly Row[]) {
  const dimension = rows[0]?.vector.length ?? 0;
  const numbers = new Float16Array(rows.length * dimension);
  rows.forEach(({ vector }, index) => {
    if (vector.length !== dimension) throw new Error('vectors of one embedder have different lengths');
    numbers.set(vector, index * dimension);
  });
  const item = new Float16();
  const type = new FixedSizeList(dimension, new Field('item', item, true));
  const child = makeData({ type: item, data: new Uint16Array(numbers.buffer) });
  return {
    field: new Field('vector', type, false),
    data: makeData({ type, length: rows.length, nullCount: 0, child }),
  };
}

function onlyData<T>({ data: [data] }: { data: readonly T[] }): T {
  if (data === undefined) throw new Error('a column without rows');
  return data;
}
