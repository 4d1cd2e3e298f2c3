/** Creates real workbooks, presentations and books, valid and hostile ones. */
import { type Entry, zipOf } from './files.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** `more` are further files, or replacements of these. */
function packed(entries: Entry[], more: readonly Entry[]): Uint8Array {
  const replaced = new Set(more.map(({ name }) => name));
  return zipOf([...entries.filter(({ name }) => !replaced.has(name)), ...more]);
}

function relationsOf(targets: readonly (readonly [type: string, target: string])[]): string {
  const each = targets.map(
    ([type, target], at) => `<Relationship Id="r${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${RELATIONS}">${each.join('')}</Relationships>`;
}

type Cell = string | number | Date | null;

/** A sheet `Prices 2026` with these rows. */
export function xlsxOf(rows: readonly (readonly Cell[])[], more: readonly Entry[] = []): Uint8Array {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const lines = rows.map(
    (row, at) => `<row r="${at + 1}">${row.map((cell, column) => cellXml(cell, column, at)).join('')}</row>`,
  );
  return packed(
    [
      { name: '_rels/.rels', content: relationsOf([['officeDocument', 'xl/workbook.xml']]) },
      {
        name: 'xl/workbook.xml',
        content: `${DECLARATION}<workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets><sheet name="Prices 2026" sheetId="1" r:id="r1"/></sheets></workbook>`,
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        content: relationsOf([
          ['worksheet', 'worksheets/sheet1.xml'],
          ['styles', 'styles.xml'],
        ]),
      },
      {
        name: 'xl/styles.xml',
        content: `${DECLARATION}<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
      },
      {
        name: 'xl/worksheets/sheet1.xml',
        content: `${DECLARATION}<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>`,
      },
    ],
    more,
  );
}

function cellXml(cell: Cell, column: number, row: number): string {
  const place = `r="${String.fromCharCode(65 + column)}${row + 1}"`;
  if (cell === null) return '';
  if (cell instanceof Date) return `<c ${place} s="1"><v>${cell.getTime() / 86_400_000 + 25_569}</v></c>`;
  if (typeof cell === 'number') return `<c ${place}><v>${cell}</v></c>`;
  return `<c ${place} t="inlineStr"><is><t>${cell.replaceAll('&', '&amp;')}</t></is></c>`;
}

/** Slides of these shapes. The last one is shown first, and has notes. */
export function pptxOf(shapes: readonly string[], more: readonly Entry[] = []): Uint8Array {
  const names = 'xmlns:p="p" xmlns:a="a" xmlns:r="r"';
  const shown = shapes.map((_, at) => `<p:sldId id="${at}" r:id="r${at + 1}"/>`).reverse();
  const notes = `<p:sp><p:ph type="sldImg"/></p:sp><p:sp><p:ph type="body"/><a:p><a:r><a:t>Say it twice.</a:t></a:r></a:p></p:sp>`;
  return packed(
    [
      {
        name: 'ppt/presentation.xml',
        content: `${DECLARATION}<p:presentation ${names}><p:sldIdLst>${shown.join('')}</p:sldIdLst></p:presentation>`,
      },
      {
        name: 'ppt/_rels/presentation.xml.rels',
        content: relationsOf(shapes.map((_, at) => ['slide', `slides/slide${at + 1}.xml`])),
      },
      ...shapes.map((shape, at) => ({
        name: `ppt/slides/slide${at + 1}.xml`,
        content: `${DECLARATION}<p:sld ${names}>${shape}</p:sld>`,
      })),
      {
        name: `ppt/slides/_rels/slide${shapes.length}.xml.rels`,
        content: relationsOf([['notesSlide', '../notesSlides/notesSlide1.xml']]),
      },
      {
        name: 'ppt/notesSlides/notesSlide1.xml',
        content: `${DECLARATION}<p:notes ${names}>${notes}</p:notes>`,
      },
    ],
    more,
  );
}

/** A book with these chapters, the bodies of pages, after a table of contents. */
export function epubOf(chapters: readonly string[], more: readonly Entry[] = []): Uint8Array {
  const ids = chapters.map((_, at) => `chapter${at + 1}`);
  const items = ids.map((id) => `<item id="${id}" href="${id}.xhtml" media-type="application/xhtml+xml"/>`);
  const page = (body: string) =>
    `${DECLARATION}<html><head><title>T</title></head><body>${body}</body></html>`;
  return packed(
    [
      { name: 'mimetype', content: 'application/epub+zip' },
      {
        name: 'META-INF/container.xml',
        content: `${DECLARATION}<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
      },
      {
        name: 'OPS/book.opf',
        content: `${DECLARATION}<package><manifest><item id="toc" href="toc.xhtml" properties="nav"/>${items.join('')}</manifest>
          <spine><itemref idref="toc"/>${ids.map((id) => `<itemref idref="${id}"/>`).join('')}</spine></package>`,
      },
      { name: 'OPS/toc.xhtml', content: page('<h1>Contents</h1><ol><li>All</li></ol>') },
      ...chapters.map((body, at) => ({ name: `OPS/chapter${at + 1}.xhtml`, content: page(body) })),
    ],
    more,
  );
}
