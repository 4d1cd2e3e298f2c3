/** The Arrow table of sections. */
import {
  Field,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import type { Parent } from '../documents/chunk.ts';

export function parentsTable(revision: number, parents: readonly Parent[]): Table {
  const [whole, text] = [new Int32(), new Utf8()];
  const fields = [
    new Field('revision', whole, false),
    new Field('id', text, false),
    new Field('text', text, false),
  ];
  const schema = new Schema(fields);
  const texts = (values: string[]) => {
    const [data] = vectorFromArray(values, text).data;
    if (!data) throw new Error('a column without rows');
    return data;
  };
  const children = [
    makeData({ type: whole, data: new Int32Array(parents.length).fill(revision) }),
    texts(parents.map(({ id }) => id)),
    texts(parents.map(({ text: part }) => part)),
  ];
  const data = makeData({ type: new Struct(fields), length: parents.length, nullCount: 0, children });
  return new Table(schema, new RecordBatch(schema, data));
}
