/** Documents that cannot be read, including hostile ones: the error of each, and that the next one is read. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { ENDINGS } from '../../../../tools/knowledge/documents/file-extensions.ts';
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import { type DocumentReader, UnreadableDocument } from '../../../../tools/knowledge/documents/reader.ts';
import { bytesOf, docxOf, pdfOf, zipOf } from './files.ts';
import { epubOf, pptxOf, xlsxOf } from './office-files.ts';

// Processes and their parsers take a while to start on a busy machine.
setDefaultTimeout(60_000);

const reader = openReader();
afterAll(() => reader.close());

/** Returns the document's error, after the next document was read successfully. */
async function refusal(name: string, bytes: Uint8Array, by: DocumentReader = reader): Promise<string> {
  const error = await by.read(name, bytes).catch((thrown: unknown) => thrown);
  const next = await by.read('next.txt', bytesOf('The next one.'));
  expect(next.chunks.map(({ text }) => text)).toEqual(['The next one.']);
  if (!(error instanceof UnreadableDocument)) throw new Error(`${name} was read`, { cause: error });
  for (const place of [process.cwd(), tmpdir(), 'node_modules', '.ts:'])
    expect(error.message).not.toContain(place);
  return error.message;
}

const ENDING = `Its name must end in one of ${ENDINGS.join(', ')}`;
const NO_TEXT = 'It is not text, or its encoding is not recognized: save it as UTF-8 text';
const DAMAGED_WORD = 'It is not a valid Word document (.docx)';
const PASSWORD_WORD = 'It has a password or is a .doc file: save it as .docx without a password';

const CASES: [what: string, name: string, bytes: Uint8Array, reason: string][] = [
  ['an empty file', 'a.md', new Uint8Array(), 'It is empty'],
  ['only white space', 'a.txt', bytesOf(' \n\t\n'), 'It has no text'],
  ['an unknown ending', 'a.exe', bytesOf('x'), ENDING],
  ['an ending alone', '.md', bytesOf('x'), ENDING],
  ['a PDF as text', 'a.txt', pdfOf(['x']), 'It is a PDF, not text: give it the matching file extension'],
  [
    'an archive as CSV',
    'a.csv',
    docxOf(['x']),
    'It is a ZIP archive or an Office document, not text: give it the matching file extension',
  ],
  ['random bytes as text', 'a.md', Uint8Array.from({ length: 4_000 }, (_, at) => (at * 7919) % 256), NO_TEXT],
  ['text as a PDF', 'a.pdf', bytesOf('Just text.'), 'It is not a valid PDF'],
  ['half a PDF', 'a.pdf', pdfOf(['x']).subarray(0, 60), 'It is not a valid PDF'],
  [
    'an encrypted PDF',
    'a.pdf',
    pdfOf(['secret'], { encrypted: true }),
    'It is encrypted: save it without a password',
  ],
  [
    'a PDF without text',
    'a.pdf',
    pdfOf(['']),
    'It has no text. If its pages are images, run text recognition (OCR) on it first',
  ],
  ['text as Word', 'a.docx', bytesOf('Just text.'), DAMAGED_WORD],
  ['an archive as Word', 'a.docx', zipOf([{ name: 'a.txt', content: 'x' }]), DAMAGED_WORD],
  ['half a Word document', 'a.docx', docxOf(['x']).subarray(0, 300), DAMAGED_WORD],
  ['a Word document with a password', 'a.docx', Buffer.from('d0cf11e0a1b11ae1', 'hex'), PASSWORD_WORD],
  [
    'a CSV with an open quote',
    'a.csv',
    bytesOf('a,b\n1,2\n"x,3\n4,5\n'),
    'It is not valid CSV, near line 4: look for an unclosed quote',
  ],
  ['Russian in KOI8-R', 'a.txt', Buffer.from('f0d2c9d7c5d420cdc9d221'.repeat(9), 'hex'), NO_TEXT],
  ['text as a workbook', 'a.xlsx', bytesOf('Just text.'), 'It is not a valid Excel workbook (.xlsx)'],
  ['a Word document as a workbook', 'a.xlsx', docxOf(['x']), 'It is not a valid Excel workbook (.xlsx)'],
  ['half a workbook', 'a.xlsx', xlsxOf([['x']]).subarray(0, 300), 'It is not a valid Excel workbook (.xlsx)'],
  [
    'a workbook with a password',
    'a.xlsx',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'It has a password or is an .xls file: save it as .xlsx without a password',
  ],
  ['a workbook without cells', 'a.xlsx', xlsxOf([]), 'It has no text'],
  [
    'a Word document as a presentation',
    'a.pptx',
    docxOf(['x']),
    'It is not a valid PowerPoint presentation (.pptx)',
  ],
  [
    'a presentation with a password',
    'a.pptx',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'It has a password or is a .ppt file: save it as .pptx without a password',
  ],
  ['a Word document as a book', 'a.epub', docxOf(['x']), 'It is not a valid book (.epub)'],
  [
    'a book that only its reader opens',
    'a.epub',
    epubOf(['<p>x</p>'], [{ name: 'META-INF/rights.xml', content: '<rights/>' }]),
    'It is encrypted and can be opened only in its own reader',
  ],
  ['text as an e-mail', 'a.eml', bytesOf('Just text.'), 'It is not a valid e-mail'],
];

test.each(CASES)('%s', async (_, name, bytes, reason) => {
  expect(await refusal(name, bytes)).toBe(reason);
});

test('a zip bomb is rejected before it is unpacked, whether it declares its size or not', async () => {
  const content = Buffer.alloc(110 * 1024 * 1024, ' ');
  const honest = docxOf([], [{ name: 'word/document.xml', content }]);
  const lying = docxOf([], [{ name: 'word/document.xml', content, declared: 1_000 }]);
  expect(honest.length).toBeLessThan(200_000);
  expect(await refusal('bomb.docx', honest)).toBe('It is larger than 100 MiB when unpacked');
  expect(await refusal('bomb.docx', lying)).toBe('It is larger than 100 MiB when unpacked');
});

test.each([
  ['workbook', 'a.xlsx', xlsxOf, 'xl/media/image1.bmp'],
  ['presentation', 'a.pptx', pptxOf, 'ppt/slides/slide1.xml'],
  ['book', 'a.epub', epubOf, 'OPS/chapter1.xhtml'],
] as const)('a %s that is a zip bomb is rejected', async (_, name, make, file) => {
  const content = Buffer.alloc(110 * 1024 * 1024, ' ');
  expect(await refusal(name, make([], [{ name: file, content, declared: 1_000 }]))).toBe(
    'It is larger than 100 MiB when unpacked',
  );
});

test.each([
  ['slide', 'a.pptx', pptxOf, 'ppt/slides/slide1.xml', 'Seen &e12; &host; end'],
  ['chapter', 'a.epub', epubOf, 'OPS/chapter1.xhtml', ']> Seen &e12; &host; end'],
] as const)(
  'entities that a %s declares are not expanded, and name no file of the host',
  async (_, name, make, file, beginning) => {
    const entities = Array.from({ length: 12 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
    const content = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha"><!ENTITY host SYSTEM "file:///etc/hostname">${entities.join('')}]>
    <p:sld><p:sp><a:p><a:r><a:t>Seen &e12; &host; end</a:t></a:r></a:p></p:sp></p:sld>`;
    const { chunks } = await reader.read(name, make(['x'], [{ name: file, content }]));
    expect(chunks.map(({ text }) => text).join()).toStartWith(beginning);
  },
);

test('an e-mail with very many nested parts does no harm', async () => {
  const depth = 2_000;
  const parts = Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  );
  const mail = bytesOf(`Subject: Deep\r\n${parts.join('')}\r\nText.`);
  const outcome = await reader.read('a.eml', mail).catch((error: unknown) => error);
  if (!(outcome instanceof UnreadableDocument)) expect(JSON.stringify(outcome)).toContain('Deep');
  expect((await reader.read('next.txt', bytesOf('The next one.'))).chunks).toHaveLength(1);
});

test('many small files count together', async () => {
  const small = openReader({ maxInflated: 1_000_000 });
  const more = Array.from({ length: 20 }, (_, at) => ({
    name: `word/${at}.xml`,
    content: Buffer.alloc(60_000),
  }));
  expect(await refusal('a.docx', docxOf(['x'], more), small)).toBe('It is larger than 1 MiB when unpacked');
  await small.close();
});

test('a Word document cannot name a file of the host', async () => {
  const relations = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="r9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="file:///etc/hostname" TargetMode="External"/></Relationships>`;
  const body = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY host SYSTEM "file:///etc/hostname">]><w:document
  xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
  xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body><w:p><w:r><w:t>Seen &host; end</w:t></w:r>
  <w:r><w:drawing><a:blip r:link="r9"/></w:drawing></w:r></w:p></w:body></w:document>`;
  const hostile = docxOf(
    [],
    [
      { name: 'word/document.xml', content: body },
      { name: 'word/_rels/document.xml.rels', content: relations },
    ],
  );
  const read = await reader.read('a.docx', hostile).catch((error: unknown) => error);
  expect(JSON.stringify(read)).not.toContain(
    await Bun.file('/etc/hostname')
      .text()
      .then((text) => text.trim()),
  );
});

test('more bytes or characters than allowed are rejected', async () => {
  const small = openReader({ maxBytes: 100, maxCharacters: 50 });
  expect(await refusal('a.txt', bytesOf('x'.repeat(101)), small)).toBe(
    'It is larger than 100 bytes: split it into several documents',
  );
  expect(await refusal('a.txt', bytesOf('x'.repeat(100)), small)).toBe(
    'Its text has more than 50 characters: split it into several documents',
  );
  await small.close();
});

test('a CSV with too many columns in any row is rejected', async () => {
  const wide = Array.from({ length: 1_001 }, (_, at) => at).join(',');
  const message = 'It has more than 1000 columns: split it into several documents with fewer columns';
  expect(await refusal('a.csv', bytesOf(`${wide}\n1,2`))).toBe(message);
  expect(await refusal('a.csv', bytesOf(`a,b\n1,2\n${wide}`))).toBe(message);
});

test('a text with too many different words is rejected, but not one with many words', async () => {
  const words = Array.from({ length: 100_001 }, (_, at) => `w${at}`).join(' ');
  expect(await refusal('a.txt', bytesOf(words))).toBe(
    'It has more than 100000 different words: split it into several documents',
  );
  expect((await reader.read('b.txt', bytesOf('again '.repeat(150_000)))).chunks.length).toBeGreaterThan(100);
});

test('a document that takes too long is ended', async () => {
  const limited = openReader({ readSeconds: 0.3 });
  const rows = bytesOf(`a,b\n${'"x"\n'.repeat(4_000_000)}`);
  await expect(limited.read('a.csv', rows)).rejects.toThrow(
    new UnreadableDocument(
      'Reading it takes more than 0.3 s of processor time; it will be retried. If that fails, split it into several documents',
    ),
  );
  await limited.close();
});

test.if(process.platform === 'linux')('a document that needs more memory than allowed is ended', async () => {
  const small = openReader({ maxMemory: 200 * 1024 * 1024 });
  const rows = bytesOf(`a,b\n${'"x"\n'.repeat(4_000_000)}`);
  expect(await refusal('a.csv', rows, small)).toBe(
    'Reading it takes too much memory: split it into several documents',
  );
  await small.close();
});

test('a million nested elements are read', async () => {
  const html = bytesOf(`${'<div>'.repeat(1_000_000)}deep`);
  const outcome = await reader.read('a.html', html).then(
    ({ chunks }) => chunks.map(({ text }) => text),
    (error: unknown) => error,
  );
  if (!(outcome instanceof UnreadableDocument)) expect(outcome).toEqual(['deep']);
});
