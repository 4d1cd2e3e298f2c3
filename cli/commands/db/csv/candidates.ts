/** The types that a text column may have, each with an expression that returns NULL for a text of another type. */
import { literal } from '../../../../tools/sql/quote.ts';

export interface Candidate {
  type: string;
  /** It was requested: no other type is considered. */
  isGiven?: boolean;
  /** For people, if the type alone does not show how the texts were read. */
  from?: string;
  /** Of a column's trimmed text. */
  value(text: string): string;
}

export interface Reading {
  /** The decimal mark. */
  decimal: '.' | ',';
  dateFormat: string | undefined;
}

/** In order of preference. Contains all date formats that may mean different days. */
export function candidates({ decimal, dateFormat }: Reading): Candidate[] {
  const given = dateFormat === undefined ? [] : [{ ...formatted(dateFormat), isGiven: true }];
  const forms = FORMATS.flatMap((form) => [form, ...TIMES.map((time) => form + time)]);
  return [
    ...given,
    matching('BOOLEAN', '(?i)true|false'),
    // Digits after a leading zero are a code: a number would lose the zero.
    matching('BIGINT', '[+-]?(0|[1-9][0-9]*)'),
    matching('HUGEINT', '[+-]?(0|[1-9][0-9]*)'),
    decimal === ',' ? WITH_COMMA : matching('DOUBLE', '[+-]?(0|[1-9][0-9]*)?([.][0-9]*)?([eE][+-]?[0-9]+)?'),
    matching('DATE', '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}'),
    matching(
      'TIME',
      '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?',
      "if(len(string_split($, ':')) = 2, $ || ':00', $)",
    ),
    matching('TIMESTAMP', `${DAY_TIME}`),
    matching('TIMESTAMP WITH TIME ZONE', `${DAY_TIME} ?(Z|[+-][0-9]{2}(:?[0-9]{2})?)`),
    ...forms.map(formatted),
  ];
}

const DAY_TIME = '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?';
const FORMATS = ['%d.%m.%Y', '%d/%m/%Y', '%m/%d/%Y', '%d-%m-%Y', '%m-%d-%Y', '%Y/%m/%d'];
const TIMES = [' %H:%M', ' %H:%M:%S'];

/** `read` is the expression to cast, with `$` for the text. */
function matching(type: string, pattern: string, read = '$'): Candidate {
  return {
    type,
    value: (text) =>
      `CASE WHEN regexp_full_match(${text}, ${literal(pattern)}) THEN TRY_CAST(${read.replaceAll('$', text)} AS ${type}) END`,
  };
}

function formatted(format: string): Candidate {
  const type = /%[HIMSfp]/.test(format) ? 'TIMESTAMP' : 'DATE';
  const zoned = format.includes('%z') || format.includes('%Z') ? 'TIMESTAMP WITH TIME ZONE' : type;
  return {
    type: zoned,
    from: `from ${format}`,
    value: (text) => `TRY_CAST(try_strptime(${text}, ${literal(format)}) AS ${zoned})`,
  };
}

/** 1.234,5 and 1234,5: before a decimal comma, points and spaces only group digits. */
export const WITH_COMMA: Candidate = {
  ...matching(
    'DOUBLE',
    "[+-]?([0-9]{1,3}([. '][0-9]{3})+|0|[1-9][0-9]*)?(,[0-9]*)?([eE][+-]?[0-9]+)?",
    `replace(translate($, '. ''', ''), ',', '.')`,
  ),
  from: 'with a decimal comma',
};
