/** Documents of every format are indexed while other processes use all processors: none fails, however long it takes. */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import { docxOf, pdfOf } from '../documents/files.ts';
import { epubOf, pptxOf, xlsxOf } from '../documents/office-files.ts';
import { testFolder } from './open-library.ts';

setDefaultTimeout(600_000);

const BUSY = 4;
// A short limit for a document, and much less than the wall-clock time that it takes here.
const SECONDS = 3;

test('every document is indexed while four processes are busy', async () => {
  await using folder = testFolder();
  const busy = Array.from({ length: BUSY }, () =>
    Bun.spawn([process.execPath, '-e', 'for (;;);'], { stdio: ['ignore', 'ignore', 'ignore'] }),
  );
  try {
    for (let at = 0; at < 4; at++) {
      // About a second of processor time each.
      await folder.write(`orders-${at}.csv`, `a,b\n${`chain ${at},oil\n`.repeat(100_000)}`);
      await folder.write(`guide-${at}.pdf`, pdfOf([`Chain ${at} needs oil.`]));
      await folder.write(`letter-${at}.docx`, docxOf([`Chain ${at} needs oil.`]));
      await folder.write(`prices-${at}.xlsx`, xlsxOf([['Part'], [`Chain ${at}`]]));
      await folder.write(
        `talk-${at}.pptx`,
        pptxOf([`<p:sp><a:p><a:r><a:t>Chain ${at}</a:t></a:r></a:p></p:sp>`]),
      );
      await folder.write(`book-${at}.epub`, epubOf([`<p>Chain ${at} needs oil.</p>`]));
    }
    const library = folder.open({ reader: openReader({ readSeconds: SECONDS }) });
    await library.scan();
    const documents = await library.documents();
    expect(documents).toHaveLength(24);
    expect(documents.filter(({ state }) => state !== 'indexed')).toEqual([]);
  } finally {
    for (const each of busy) each.kill('SIGKILL');
  }
});
