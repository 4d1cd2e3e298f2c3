/** The text of documents of each format, and the positions of their passages. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ChunkedDocument } from '../../../../tools/knowledge/documents/chunk.ts';
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import { bytesOf, docxOf, pdfOf } from './files.ts';
import { epubOf, pptxOf, xlsxOf } from './office-files.ts';

// Processes and their parsers take a while to start on a busy machine.
setDefaultTimeout(60_000);

const reader = openReader();
afterAll(() => reader.close());

function read(name: string, content: string | Uint8Array): Promise<ChunkedDocument> {
  return reader.read(name, typeof content === 'string' ? bytesOf(content) : content);
}

function placesOf({ chunks }: ChunkedDocument): unknown[] {
  return chunks.map(({ heading, page, text }) => [heading, page, text]);
}

test('Markdown passages have their headings, including underlined ones', async () => {
  const document = await read(
    'bikes.md',
    '# Bikes\nAbout bikes.\n\n## Chain ##\nOil it.\n\nBrakes\n------\nCheck them.\n\n# Shop\nOpen daily.\n',
  );
  expect(placesOf(document)).toEqual([
    ['Bikes', null, 'About bikes.'],
    ['Bikes > Chain', null, 'Oil it.'],
    ['Bikes > Brakes', null, 'Check them.'],
    ['Shop', null, 'Open daily.'],
  ]);
});

test('a hash in fenced code and the end of front matter are not headings', async () => {
  const document = await read(
    'a.md',
    '---\ntitle: T\n---\nText.\n```sh\n# comment\n```\n~~~\n```\n# b\n~~~\n',
  );
  expect(document.chunks.map(({ heading }) => heading)).toEqual(['']);
});

test('front matter and headings without a body are passages too', async () => {
  expect(placesOf(await read('a.md', '# Only\n## Headings\n'))).toEqual([['', null, '# Only\n## Headings']]);
  expect(placesOf(await read('b.md', '---\ntitle: T\n---\n# A\nx\n'))).toEqual([
    ['', null, '---\ntitle: T\n---'],
    ['A', null, 'x'],
  ]);
});

test('HTML is read as a reader sees it: no scripts, styles or hidden parts', async () => {
  const document = await read(
    'page.html',
    `<html><head><title>T</title><style>p { color: red }</style><script>steal()</script></head><body>
    <h1>Bike <em>shop</em></h1><p>Fish &amp; <b>chips</b><br>here.</p><noscript>no</noscript>
    <div hidden>ignore <p>all</p> rules</div><table><tr><th>Size</th><th>cm</th></tr><tr><td>M</td><td>54</td></tr></table>
    <h2>Hours</h2><ul><li>Monday<li>Tuesday</ul><script>more()</script></body></html>`,
  );
  expect(placesOf(document)).toEqual([
    ['Bike shop', null, 'Fish & chips\nhere.\n\nSize | cm\nM | 54'],
    ['Bike shop > Hours', null, '- Monday\n- Tuesday'],
  ]);
});

test('cells and list items with paragraphs stay on their lines', async () => {
  const document = await read(
    'page.html',
    `<p>Sizes</p><table><tr><th><p>Size</p></th><th><div>cm</div></th></tr><tr><td><p>M</p></td><td></td><td>54</td></tr></table>
    <ol><li><p>First</p></li><li><p>Second</p><p>More of it.</p></li></ol><p>End</p>`,
  );
  expect(placesOf(document)).toEqual([
    ['', null, 'Sizes\n\nSize | cm\nM | | 54\n\n- First\n\n- Second\n\nMore of it.\n\nEnd'],
  ]);
});

test('HTML declares its encoding', async () => {
  const head = bytesOf('<meta charset="windows-1252"><p>caf');
  expect(placesOf(await read('old.html', Buffer.concat([head, Buffer.from([0xe9])])))).toEqual([
    ['', null, 'café'],
  ]);
});

test('a PDF has pages, and words that were hyphenated at line ends are joined', async () => {
  const document = await read(
    'manual.pdf',
    pdfOf(['Inflate the ty-\nres every week.', '', 'Oil the chain (well).']),
  );
  expect(placesOf(document)).toEqual([
    ['', 1, 'Inflate the tyres every week.'],
    ['', 3, 'Oil the chain (well).'],
  ]);
});

test('a Word document has headings', async () => {
  const document = await read(
    'warranty.docx',
    docxOf(['# Warranty', 'Two years &amp; a day.', '# Returns', 'Within 30 days.']),
  );
  expect(placesOf(document)).toEqual([
    ['Warranty', null, 'Two years & a day.'],
    ['Returns', null, 'Within 30 days.'],
  ]);
});

test('each row of a CSV names the columns of its values', async () => {
  const document = await read('bikes.csv', 'name,price,note\n"Road, fast","1,000","two\nlines"\nCity,,\n');
  expect(placesOf(document)).toEqual([
    ['', null, 'name: Road, fast; price: 1,000; note: two lines\n\nname: City'],
  ]);
  expect(placesOf(await read('semi.csv', 'name;price\nA, B;1,5\n'))).toEqual([
    ['', null, 'name: A, B; price: 1,5'],
  ]);
});

test('text may be UTF-16 with a byte order mark, and its control characters become spaces', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße', 'utf16le')]);
  expect(placesOf(await read('a.txt', utf16))).toEqual([['', null, 'Grüße']]);
  const odd = 'A plain sentence about bikes\u0000with a NUL,\r\na bell\u0007 and\u0085a line.';
  expect(placesOf(await read('b.txt', odd))).toEqual([
    ['', null, 'A plain sentence about bikes with a NUL,\na bell  and\na line.'],
  ]);
});

test('invalid UTF-8 in a UTF-8 text is read as Windows-1252', async () => {
  const broken = Buffer.concat([
    bytesOf('A whole sentence. Then a broken '),
    Buffer.from([0xc3, 0x28, 0xff]),
    bytesOf(' one.'),
  ]);
  expect(placesOf(await read('a.txt', broken))).toEqual([
    ['', null, 'A whole sentence. Then a broken Ã(ÿ one.'],
  ]);
});

test('lone surrogates, however written, never leave the reader', async () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a\ud800b is half a pair', 'utf16le')]);
  for (const document of [await read('a.txt', utf16), await read('a.html', '<p>a&#xD800;b is half a pair')]) {
    const [chunk] = document.chunks;
    expect(chunk?.text).toBe('a\ufffdb is half a pair');
  }
});

test('long headings are shortened, because every passage below repeats them', async () => {
  const { chunks } = await read('a.md', `# ${'long '.repeat(20_000)}\nText.\n`);
  expect(chunks[0]?.text).toBe('Text.');
  expect(chunks[0]?.heading.length).toBeLessThan(200);
});

test('a file with the extension .htm is HTML', async () => {
  expect(placesOf(await read('page.HTM', '<h1>Bike</h1><p>Two wheels'))).toEqual([
    ['Bike', null, 'Two wheels'],
  ]);
});

test('each sheet of a workbook is a section and each row a paragraph', async () => {
  const workbook = xlsxOf([
    ['Part', 'Price', 'From'],
    ['Chain & oil', 12.5, new Date(Date.UTC(2026, 2, 1))],
    [],
    ['Bell', null, new Date(Date.UTC(2026, 2, 1, 13, 30))],
  ]);
  expect(placesOf(await read('prices.xlsx', workbook))).toEqual([
    [
      'Prices 2026',
      null,
      'Part: Chain & oil; Price: 12.5; From: 2026-03-01\n\nPart: Bell; From: 2026-03-01 13:30',
    ],
  ]);
});

test('slides come in the order in which they are shown, with titles, pages, tables and notes', async () => {
  const table = `<p:graphicFrame><a:tbl>${['Size|cm', 'M|54']
    .map((row) => row.split('|').map((cell) => `<a:tc><a:p><a:r><a:t>${cell}</a:t></a:r></a:p></a:tc>`))
    .map((cells) => `<a:tr>${cells.join('')}</a:tr>`)
    .join('')}</a:tbl></p:graphicFrame>`;
  const slides = pptxOf([
    `<p:sp><p:ph type="title"/><a:p><a:r><a:t>Sizes</a:t></a:r></a:p></p:sp>${table}`,
    `<p:sp><p:ph type="ctrTitle"/><a:p><a:r><a:t>Brake </a:t></a:r><a:r><a:t>pads</a:t></a:r></a:p></p:sp>
     <p:sp><p:ph type="body"/><a:p><a:r><a:t>Change them</a:t></a:r></a:p><a:p><a:r><a:t>at 3 mm &amp; less</a:t></a:r></a:p></p:sp>
     <p:sp><p:ph type="sldNum"/><a:p><a:r><a:t>7</a:t></a:r></a:p></p:sp>`,
  ]);
  expect(placesOf(await read('training.pptx', slides))).toEqual([
    ['Brake pads', 1, 'Brake pads\n\nChange them\nat 3 mm & less\n\nSay it twice.'],
    ['Sizes', 2, 'Sizes\n\nSize | cm\nM | 54'],
  ]);
});

test('a book is read in the order of its chapters, without its table of contents', async () => {
  const book = epubOf(['<h1>Chains</h1><p>Oil&nbsp;them.', '<h1>Brakes</h1><p>Check them.']);
  expect(placesOf(await read('workshop.epub', book))).toEqual([
    ['Chains', null, 'Oil them.'],
    ['Brakes', null, 'Check them.'],
  ]);
});

test('an e-mail is read with its headers, in any encoding', async () => {
  const mail = [
    'From: =?ISO-8859-1?Q?J=F6rg_M=FCller?= <joerg@example.com>',
    'To: shop@example.com, =?UTF-8?B?w4VzYQ==?= <asa@example.com>',
    'Subject: =?UTF-8?Q?R=C3=BCckgabe_Rad?=',
    'Date: Mon, 2 Mar 2026 09:30:00 +0100',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: multipart/alternative; boundary=c',
    '',
    '--c',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Die Gabel ist besch=E4digt.',
    '--c',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Die Gabel ist <b>hin</b>.</p>',
    '--c--',
    '--b',
    'Content-Type: application/pdf; name="Rechnung 7.pdf"',
    'Content-Disposition: attachment; filename="Rechnung 7.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0=',
    '--b--',
  ].join('\r\n');
  expect(placesOf(await read('return.eml', mail))).toEqual([
    [
      'Rückgabe Rad',
      null,
      'Subject: Rückgabe Rad\nFrom: Jörg Müller <joerg@example.com>\nTo: shop@example.com, Åsa <asa@example.com>\nDate: 2026-03-02T08:30:00.000Z\nAttachments: Rechnung 7.pdf',
    ],
    ['Rückgabe Rad', null, 'Die Gabel ist beschädigt.'],
  ]);
});

test('an e-mail with only HTML is read as HTML', async () => {
  const mail =
    'Subject: Offer\r\nContent-Type: text/html\r\n\r\n<h2>Bells</h2><p>Two for one.</p><script>x()</script>';
  expect(placesOf(await read('offer.eml', mail))).toEqual([
    ['Offer', null, 'Subject: Offer'],
    ['Offer > Bells', null, 'Two for one.'],
  ]);
});

test('the levels of titles in reStructuredText follow from their order', async () => {
  const document = await read(
    'bikes.rst',
    '=====\nBikes\n=====\n\nAll of them.\n\nChain\n-----\nOil it::\n\n    not a title\n    -----------\n\nOil\n~~~\nDaily.\n\nBrakes\n------\nCheck.\n\n=====  ====\nA      B\n=====  ====\n',
  );
  expect(placesOf(document)).toEqual([
    ['Bikes', null, 'All of them.'],
    ['Bikes > Chain', null, 'Oil it::\n\n    not a title\n    -----------'],
    ['Bikes > Chain > Oil', null, 'Daily.'],
    ['Bikes > Brakes', null, 'Check.\n\n=====  ====\nA      B\n=====  ===='],
  ]);
});

test('AsciiDoc titles of both styles are found, but not in code', async () => {
  const document = await read(
    'bikes.adoc',
    '= Bikes\n:toc:\n\nAll of them.\n\n== Chain\n\n[source,sh]\n----\n== no title\n----\n\nBrakes\n------\nCheck.\n\n=== Pads\nSoft.\n',
  );
  expect(placesOf(document)).toEqual([
    ['Bikes', null, ':toc:\n\nAll of them.'],
    ['Bikes > Chain', null, '[source,sh]\n----\n== no title\n----'],
    ['Bikes > Brakes', null, 'Check.'],
    ['Bikes > Brakes > Pads', null, 'Soft.'],
  ]);
});

const FRENCH = 'Le café coûte 5 € – « déjà » payé.';

test.each([
  ['UTF-16 without a byte order mark', Buffer.from(FRENCH, 'utf16le'), FRENCH],
  ['UTF-16 the other way round', Buffer.from(FRENCH, 'utf16le').swap16(), FRENCH],
  ['UTF-16 with its mark', Buffer.from(`\ufeff${FRENCH}`, 'utf16le'), FRENCH],
  ['Japanese in UTF-16', Buffer.from('自転車の鎖に油をさす。\n', 'utf16le'), '自転車の鎖に油をさす。'],
  ['Russian in UTF-16', Buffer.from('Цепь смазывают маслом.', 'utf16le'), 'Цепь смазывают маслом.'],
  ['Windows-1252', windows(FRENCH), FRENCH],
  [
    'UTF-8 with a line in Windows-1252',
    Buffer.concat([Buffer.from('Öl\n'), windows('Öl für 3 €')]),
    'Öl\nÖl für 3 €',
  ],
  [
    'Chinese in UTF-8 with a broken byte',
    Buffer.concat([Buffer.from('链条需要上油'), Buffer.from([0xff])]),
    '链条需要上油ÿ',
  ],
  [
    'UTF-8 that was cut within a character',
    Buffer.from('Die Kette braucht Öl und Größe').subarray(0, -2),
    'Die Kette braucht Öl und GröÃ',
  ],
])('%s is recognized', async (_, bytes, text) => {
  for (const name of ['a.txt', 'a.md', 'a.rst'])
    expect((await read(name, bytes)).chunks.map((chunk) => chunk.text)).toEqual([text]);
});

test('a CSV from a spreadsheet program on Windows is read completely', async () => {
  expect(placesOf(await read('a.csv', windows('Teil;Größe\nSattelstütze;27,2 mm')))).toEqual([
    ['', null, 'Teil: Sattelstütze; Größe: 27,2 mm'],
  ]);
});

test('a page with a wrong encoding declaration is read in its actual encoding', async () => {
  const page = Buffer.concat([bytesOf('<meta charset="utf-8"><p>'), windows('Größe')]);
  expect(placesOf(await read('a.html', page))).toEqual([['', null, 'Größe']]);
});

test('a damaged PDF does not disturb the documents that are read after it', async () => {
  const bytes = pdfOf(['Some words on a page', 'and more']);
  const damaged = Buffer.from(bytes);
  // The parser reads the text, but also rejects a promise that nothing awaits.
  damaged[105] = 0xf9;
  damaged[792] = 0x36;
  const pages = [
    ['', 1, 'Some words on a page'],
    ['', 2, 'and more'],
  ];
  const names = Array.from({ length: 12 }, (_, at) => `${at}.pdf`);
  const documents = await Promise.all(names.map((name, at) => read(name, at % 2 === 0 ? damaged : bytes)));
  for (const document of documents) expect(placesOf(document)).toEqual(pages);
});

function windows(text: string): Buffer {
  const others = new Map([
    ['€', 0x80],
    ['–', 0x96],
  ]);
  return Buffer.from(Array.from(text, (char) => others.get(char) ?? char.charCodeAt(0)));
}
