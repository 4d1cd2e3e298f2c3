/** Evaluation cases: a question and the expectations for its answer, one JSON object per line. */
import { type Static, Type } from '@sinclair/typebox';
import { configurationError, SkeinError } from '../../state/errors.ts';
import { checkOptions } from '../../state/schema/check-options.ts';
import { firstWrong } from '../../tools/json/first-wrong.ts';
import { CaseCall } from './case-call.ts';

export const Expectation = Type.Object(
  {
    exact: Type.Optional(Type.String({ description: 'The whole answer, apart from white space around it.' })),
    contains: Type.Optional(
      Type.Array(Type.String({ minLength: 1, description: 'A text.' }), {
        minItems: 1,
        description: 'Strings that the answer must contain; case is ignored.',
      }),
    ),
    json: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Values of the response by path, for example outputs[0].data.category.',
      }),
    ),
    rows: Type.Optional(
      Type.Array(
        Type.Union([Type.Array(Type.Unknown()), Type.Record(Type.String(), Type.Unknown())], {
          expected: 'a list of cells, or an object with the cells by column',
          description: 'One row.',
        }),
        { description: 'The rows of the SQL result, in any order; it may have further columns.' },
      ),
    ),
    citation: Type.Optional(
      Type.Object(
        {
          document: Type.String({ minLength: 1, description: 'The document.' }),
          quote: Type.Optional(Type.String({ minLength: 1, description: 'Text of the passage.' })),
        },
        { additionalProperties: false, description: 'A passage that the answer must cite.' },
      ),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    description: 'The expectations, all of which the answer must meet.',
  },
);

const Name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));

const Source = Type.Object(
  {
    run_id: Type.String({ minLength: 1, maxLength: 128, description: 'The run.' }),
    workflow: Name('Its workflow.'),
  },
  { additionalProperties: false, description: 'The run that the case was created from.' },
);

export const caseFields = {
  id: Name('The name in reports; default: the line.'),
  prompt: Type.Optional(Type.String({ pattern: '\\S', expected: 'text', description: 'The question.' })),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The input of a graph that takes no prompt, in place of a prompt.',
    }),
  ),
  call: Type.Optional(CaseCall),
  thread: Name('Cases with the same thread are one conversation, in the order of the file.'),
  expect: Expectation,
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50, description: 'For people.' }),
  ),
  notes: Type.Optional(Type.String({ maxLength: 4_000, description: 'For people.' })),
  source: Type.Optional(Source),
};

const Case = Type.Object(caseFields, { additionalProperties: false });

/** A row as a list of cells, or as cells by the names of their columns. */
export type ExpectedRow = NonNullable<Expectation['rows']>[number];
export type Expectation = Static<typeof Expectation>;
export type Case = Static<typeof Case>;

export interface ReadCase {
  /** Counts from 1. */
  line: number;
  text: string;
  case: Case;
}

export interface CaseProblem {
  /** Both count from 1. */
  line: number;
  column: number;
  reason: string;
}

export interface ReadCases {
  cases: ReadCase[];
  problems: CaseProblem[];
}

/** Each invalid line becomes a problem; empty lines are skipped. */
export function parseCases(bytes: Uint8Array): ReadCases {
  const read: ReadCases = { cases: [], problems: [] };
  for (const [at, piece] of linesOf(bytes).entries()) {
    const line = at + 1;
    try {
      const text = textOf(piece);
      if (text.trim() !== '') read.cases.push({ line, text, case: caseIn(text) });
    } catch (error) {
      if (!(error instanceof NoCase)) throw error;
      read.problems.push({ line, column: error.column, reason: error.message });
    }
  }
  return read;
}

/** Throws CONFIGURATION_ERROR for an invalid case. */
export function checkCase(value: unknown): Case {
  const checked = checkOptions(Case, value, '');
  const { prompt, input, call, thread } = checked;
  if ([prompt, input, call].filter((request) => request !== undefined).length !== 1)
    throw configurationError('prompt', 'expected one of prompt, input and call');
  if (call && thread !== undefined)
    throw configurationError('thread', 'a model call has no conversation; remove thread');
  return checked;
}

/** The name of a case: its id, or its line. */
export function nameOf({ line, case: { id } }: Pick<ReadCase, 'line' | 'case'>): string {
  return id ?? `line ${line}`;
}

/** The question of a case, for display. */
export function questionOf({ prompt, input, call }: Pick<Case, 'prompt' | 'input' | 'call'>): string {
  return prompt ?? (call ? lastSaid(call) : JSON.stringify(input));
}

function lastSaid({ messages }: CaseCall): string {
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
  return last?.content ?? '';
}

/** `cases.jsonl line 3 column 14: is not a JSON object`. */
export function problemText(file: string, { line, column, reason }: CaseProblem): string {
  return `${file} line ${line}${column > 1 ? ` column ${column}` : ''}: ${reason}`;
}

class NoCase extends Error {
  readonly column: number;

  constructor(column: number, reason: string) {
    super(reason);
    this.column = column;
  }
}

function caseIn(text: string): Case {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NoCase((firstWrong(text) ?? 0) + 1, 'is not a JSON object');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NoCase(1, 'is not a JSON object');
  try {
    return checkCase(value);
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    throw new NoCase(1, error.message);
  }
}

const NEW_LINE = 0x0a;

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let from = 0;
  for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, from)) {
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return [...lines, bytes.subarray(from)];
}

/** Removes a byte order mark. */
function textOf(line: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    throw new NoCase(1, 'is not UTF-8');
  }
}
