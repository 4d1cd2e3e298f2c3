/** An Excel workbook: a section a sheet, whose rows are paragraphs. */
import readWorkbook from 'read-excel-file/universal';
import { openArchive } from './archive.ts';
import { oneLine } from './clean.ts';
import type { DocumentText } from './document-text.ts';
import { joinedParts, onePart } from './joined-parts.ts';
import { kindOf } from './plain-text.ts';
import { UnreadableDocument } from './reader.ts';
import { tableText } from './table-text.ts';

const KIND = 'Excel workbook (.xlsx)';

/** The first row of a sheet that has cells names the columns. Throws UnreadableDocument. */
export async function readXlsx(bytes: Uint8Array, maxInflated: number): Promise<DocumentText> {
  if (kindOf(bytes)?.includes('password'))
    throw new UnreadableDocument('It has a password, or is an .xls: save it as .xlsx without a password');
  openArchive(bytes, { maxInflated, kind: KIND });
  const sheets = await sheetsOf(bytes);
  return joinedParts(
    sheets.map(({ sheet, data }) => {
      const rows = data.map((row) => row.map(cellText)).filter((row) => row.some((cell) => cell !== ''));
      return onePart(tableText(rows), { headings: [oneLine(sheet)].filter(Boolean) });
    }),
  );
}

async function sheetsOf(bytes: Uint8Array) {
  try {
    return await readWorkbook(new Uint8Array(bytes).buffer);
  } catch {
    throw new UnreadableDocument(`It is no ${KIND}, or damaged`);
  }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? timeText(cell) : String(cell);
}

/** Days and times have no zone in a workbook; the package gives both as UTC. A time alone is one of the day 0. */
function timeText(at: Date): string {
  if (Number.isNaN(at.getTime())) return '';
  const [day = '', time = ''] = at
    .toISOString()
    .replace(/(?::00)?\.\d+Z$/, '')
    .split('T');
  if (at.getTime() < DAY_ONE) return time;
  return time === '00:00' ? day : `${day} ${time}`;
}

const DAY_ONE = Date.UTC(1899, 11, 31);
