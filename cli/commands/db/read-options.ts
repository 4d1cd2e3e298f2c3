/** The flags of `skein db import` that control how a CSV file is read. */
import { configurationError } from '../../../state/errors.ts';
import type { OwnFlag } from '../../terminal/own-flags.ts';

export interface ReadOptions {
  delimiter: string | undefined;
  /** As `TextDecoder` names it; undefined for UTF-8 or the encoding of the byte order mark. */
  encoding: string | undefined;
  decimal: '.' | ',';
  dateFormat: string | undefined;
  /** Words that mean NULL in every column. */
  nulls: string[];
}

export const READ_FLAGS: readonly OwnFlag[] = [
  { name: '--null', takes: 'NA,-' },
  { name: '--delimiter', takes: ';' },
  { name: '--encoding', takes: 'windows-1252' },
  { name: '--decimal', takes: ',' },
  { name: '--date-format', takes: '%d.%m.%Y' },
];

/** Throws CONFIGURATION_ERROR for an invalid value. */
export function readOptions(own: ReadonlyMap<string, string>): ReadOptions {
  return {
    delimiter: delimiterIn(own.get('--delimiter')),
    encoding: encodingIn(own.get('--encoding')),
    decimal: decimalIn(own.get('--decimal')),
    dateFormat: dateFormatIn(own.get('--date-format')),
    nulls: (own.get('--null') ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  };
}

const DELIMITERS: Record<string, string> = {
  tab: '\t',
  '\\t': '\t',
  comma: ',',
  semicolon: ';',
  pipe: '|',
  space: ' ',
};

function delimiterIn(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const delimiter = DELIMITERS[given] ?? given;
  if (/^[^\r\n"]{1,4}$/.test(delimiter)) return delimiter;
  throw configurationError('--delimiter', 'expected one to four characters or "tab"');
}

function encodingIn(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  // Names that other tools use but the standard lacks.
  const name = given
    .toLowerCase()
    .replace(/^latin-(\d)$/, 'latin$1')
    .replace(/^cp(\d{3,4})$/, (whole, page) => (page.length === 4 ? `windows-${page}` : whole));
  try {
    return new TextDecoder(name as Bun.Encoding).encoding;
  } catch {
    throw configurationError('--encoding', 'expected an encoding, such as utf-8, windows-1252 or utf-16');
  }
}

function decimalIn(given: string | undefined): '.' | ',' {
  if (given === undefined || given === '.') return '.';
  if (given === ',') return ',';
  throw configurationError('--decimal', 'expected . or ,');
}

function dateFormatIn(given: string | undefined): string | undefined {
  if (given === undefined || /%[a-zA-Z-]/.test(given)) return given;
  throw configurationError('--date-format', 'expected a format such as %d.%m.%Y or %m/%d/%Y %H:%M');
}
