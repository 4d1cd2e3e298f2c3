/** The regression set: questions about the sample data, each with SQL that returns the right rows. */
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

export const Question = Type.Object(
  {
    /** Two halves of a regression test: the offline model's rules were written with both in view. */
    split: Type.Union([Type.Literal('dev'), Type.Literal('second')]),
    question: Type.String({ minLength: 1 }),
    /** The earlier questions of the conversation. */
    earlier: Type.Optional(Type.Array(Type.String())),
    /** Whether the order of the rows counts. */
    ordered: Type.Optional(Type.Boolean()),
    /** `at_least`: the answer may have more columns than these, as in "which store sold the most?". */
    columns: Type.Optional(Type.Literal('at_least')),
    /** Any of these is right; empty if the tables cannot answer. */
    sql: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]),
  },
  { additionalProperties: false },
);

export type Question = Static<typeof Question>;

export async function evaluationQuestions(): Promise<Question[]> {
  const lines = (await Bun.file(join(import.meta.dir, 'questions.jsonl')).text()).trim().split('\n');
  return lines.map((line, index) => {
    const question: unknown = JSON.parse(line);
    if (!Value.Check(Question, question))
      throw new Error(`questions.jsonl, line ${index + 1}: not a question`);
    return question;
  });
}
