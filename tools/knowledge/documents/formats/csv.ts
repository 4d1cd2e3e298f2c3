/** CSV: each row becomes a paragraph. */
import { parse } from 'csv-parse/sync';
import { UnreadableDocument } from '../reader.ts';
import type { DocumentText } from '../text/document-text.ts';
import { decodeText } from '../text/plain-text.ts';
import { tableText } from '../text/table-text.ts';

/** The first row names the columns. Throws UnreadableDocument, with the line if it is known. */
export function readCsv(bytes: Uint8Array): DocumentText {
  const text = tableText(records(decodeText(bytes)));
  return { text, sections: [{ headings: [], page: null, start: 0, end: text.length }] };
}

function records(text: string): string[][] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    });
  } catch (error) {
    const line = Number((error as { lines?: unknown }).lines);
    const position = line > 0 ? `, near line ${line}` : '';
    throw new UnreadableDocument(`It is not valid CSV${position}: look for an unclosed quote`);
  }
}

/** The separator that occurs most often in the first line. */
function delimiterOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: first.split(mark).length }));
  return counts.reduce((most, each) => (each.count > most.count ? each : most)).mark;
}
