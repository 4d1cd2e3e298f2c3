/** A separate process that looks for deleted data in a large SQLite file, and prints the numbers of its pages. */
import { openSync, readSync } from 'node:fs';
import { pagesWithRemains } from './page-remains.ts';

const [path = '', pageSize = ''] = process.argv.slice(2);
const file = openSync(path, 'r');
const read = (buffer: Buffer, position: number) => readSync(file, buffer, 0, buffer.length, position);
process.stdout.write(JSON.stringify(pagesWithRemains(read, Number(pageSize))));
