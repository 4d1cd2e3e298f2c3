/** Documents with a temporary error are read again; each error is logged once. */
import { afterEach, expect, setDefaultTimeout, setSystemTime, test } from 'bun:test';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import type { DocumentReader } from '../../../../tools/knowledge/documents/reader.ts';
import { documentsOf, type TestFolder, testFolder } from './open-library.ts';

// Processes and their parsers take a while to start on a busy machine.
setDefaultTimeout(60_000);

afterEach(() => {
  setSystemTime();
});

// About a second of processor time.
const LONG = `a,b\n${'chain,oil\n'.repeat(100_000)}`;
const TOO_SLOW = /^Reading it takes more than 0\.01 s of processor time; it will be retried/;

/** Reads with too short a time limit until it is changed. */
function changingReader() {
  const [hasty, patient] = [openReader({ readSeconds: 0.01 }), openReader()];
  let current = hasty;
  const reader: DocumentReader = {
    read: (...args) => current.read(...args),
    readInto: (...args) => current.readInto(...args),
    async close() {
      await Promise.all([hasty.close(), patient.close()]);
    },
  };
  return {
    reader,
    grantTime() {
      current = patient;
    },
  };
}

async function failing(folder: TestFolder) {
  const { reader, grantTime } = changingReader();
  const logged: object[] = [];
  const log = {
    info: () => {},
    warn: (fields: object, message: string) => logged.push({ ...fields, message }),
  };
  const library = folder.open({ reader, log });
  await folder.write('orders.csv', LONG);
  // A file that has just changed is checked once more.
  utimesSync(join(folder.documents, 'orders.csv'), 1_600_000_000, 1_600_000_000);
  await library.scan();
  expect(await library.documents()).toMatchObject([
    { name: 'orders.csv', state: 'failed', error: expect.stringMatching(TOO_SLOW) },
  ]);
  return { library, grantTime, logged };
}

const SAID = [
  { document: 'orders.csv', reason: expect.stringMatching(TOO_SLOW), message: 'a document cannot be read' },
];

test('a document that took too long is read again at the next start', async () => {
  await using folder = testFolder();
  const { library, logged } = await failing(folder);
  expect(logged).toEqual(SAID);
  await library.close();
  const next = folder.open();
  await next.scan();
  expect(await next.documents()).toMatchObject([{ name: 'orders.csv', state: 'indexed' }]);
  expect(documentsOf(await next.search('chain oil'))).toEqual(['orders.csv']);
});

test('a document that took too long is read again when it is touched', async () => {
  await using folder = testFolder();
  const { library, grantTime } = await failing(folder);
  grantTime();
  await library.scan();
  expect(await library.documents()).toMatchObject([{ state: 'failed' }]);
  utimesSync(join(folder.documents, 'orders.csv'), 1_700_000_000, 1_700_000_000);
  await library.scan();
  expect(await library.documents()).toMatchObject([{ state: 'indexed' }]);
});

test('a document that took too long is read again after increasing delays, and logged once', async () => {
  await using folder = testFolder();
  const { library, grantTime, logged } = await failing(folder);
  setSystemTime(Date.now() + 61_000);
  await library.scan();
  grantTime();
  setSystemTime(Date.now() + 61_000);
  await library.scan();
  expect(await library.documents()).toMatchObject([{ state: 'failed' }]);
  setSystemTime(Date.now() + 241_000);
  await library.scan();
  expect(await library.documents()).toMatchObject([{ state: 'indexed' }]);
  expect(logged).toEqual(SAID);
});

test('a damaged document is logged once with its name, and again when it is damaged in another way', async () => {
  await using folder = testFolder();
  const logged: object[] = [];
  const log = { info: () => {}, warn: (fields: object) => logged.push(fields) };
  const library = folder.open({ log });
  await folder.write('offer.pdf', 'Just text.');
  await library.scan();
  utimesSync(join(folder.documents, 'offer.pdf'), 1_700_000_000, 1_700_000_000);
  await library.scan();
  await folder.write('offer.pdf', '');
  await library.scan();
  expect(logged).toEqual([
    { document: 'offer.pdf', reason: 'It is not a valid PDF' },
    { document: 'offer.pdf', reason: 'It is empty' },
  ]);
});
