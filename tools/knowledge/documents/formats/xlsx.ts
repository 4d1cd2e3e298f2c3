/** An Excel workbook: one section per sheet, one paragraph per row. */
import readWorkbook from 'read-excel-file/universal';
import { UnreadableDocument } from '../reader.ts';
import { oneLine } from '../text/clean.ts';
import type { DocumentText } from '../text/document-text.ts';
import { joinedParts, onePart } from '../text/joined-parts.ts';
import { kindOf } from '../text/plain-text.ts';
import { tableText } from '../text/table-text.ts';
import { openArchive } from './archive.ts';

const KIND = 'Excel workbook (.xlsx)';

/** The first row with cells names the columns. Throws UnreadableDocument. */
export async function readXlsx(bytes: Uint8Array, maxInflated: number): Promise<DocumentText> {
  if (kindOf(bytes)?.includes('password'))
    throw new UnreadableDocument('It has a password or is an .xls file: save it as .xlsx without a password');
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
    throw new UnreadableDocument(`It is not a valid ${KIND}`);
  }
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return cell instanceof Date ? timeText(cell) : String(cell);
}

/** Workbooks store dates and times without a zone; the package returns both as UTC. A time without a date has day 0. */
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
