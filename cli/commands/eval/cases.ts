/** Evaluation cases: a question and what a right answer contains. One JSON object per line. */
import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { configurationError, SkeinError } from '../../../state/errors.ts';
import { checkOptions } from '../../../state/schema/check-options.ts';

const Expectation = Type.Object(
  {
    exact: Type.Optional(Type.String({ description: 'The whole answer, without surrounding whitespace.' })),
    contains: Type.Optional(
      Type.Array(Type.String({ minLength: 1, description: 'A text.' }), {
        minItems: 1,
        description: 'Texts that the answer contains, case-insensitive.',
      }),
    ),
    json: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Values of the response by path, such as outputs[0].data.category.',
      }),
    ),
    rows: Type.Optional(
      Type.Array(
        Type.Union([Type.Array(Type.Unknown()), Type.Record(Type.String(), Type.Unknown())], {
          expected: 'a list of cells, or an object of columns and their cells',
          description: 'One row.',
        }),
        { description: 'The rows of the SQL result, in any order; it may have more columns.' },
      ),
    ),
    citation: Type.Optional(
      Type.Object(
        {
          document: Type.String({ minLength: 1, description: 'The document.' }),
          quote: Type.Optional(Type.String({ minLength: 1, description: 'A text in the passage.' })),
        },
        { additionalProperties: false, description: 'A passage that the answer cites.' },
      ),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: 'What a right answer contains.' },
);

const Case = Type.Object(
  {
    id: Type.Optional(
      Type.String({ minLength: 1, description: 'Its name in the report; its line by default.' }),
    ),
    prompt: Type.String({ minLength: 1, description: 'The question.' }),
    thread: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Cases of the same thread form a conversation, in file order.',
      }),
    ),
    expect: Expectation,
  },
  { additionalProperties: false },
);

/** A row as a list of cells, or as cells by column name. */
export type ExpectedRow = NonNullable<Expectation['rows']>[number];
export type Expectation = Static<typeof Expectation>;
export type Case = Static<typeof Case> & { id: string };

/** Throws CONFIGURATION_ERROR that names the line, for an unreadable file and for an invalid case. */
export function readCases(path: string): Case[] {
  const lines = textOf(path).split('\n');
  const cases = lines.flatMap((line, at) => (line.trim() === '' ? [] : [caseOf(line, `line ${at + 1}`)]));
  if (cases.length === 0) throw configurationError(path, 'has no cases; write one JSON object per line');
  return cases;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw configurationError(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function caseOf(line: string, place: string): Case {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw configurationError(place, 'is not a JSON object');
  }
  try {
    return { id: place, ...checkOptions(Case, value, '') };
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    throw new SkeinError('CONFIGURATION_ERROR', { message: `${place}: ${error.message}` });
  }
}
