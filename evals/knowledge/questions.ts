/** The evaluation set: questions about the sample documents and about SQLite, each with the passages that answer it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { sampleDocument, sampleDocuments } from '../../tools/knowledge/sample/install.ts';

export const KINDS = ['paraphrase', 'mixed', 'lexical', 'misspelt', 'unanswerable'] as const;

export const Question = Type.Object(
  {
    /** Only `dev` is used to choose constants and rules. */
    split: Type.Union([Type.Literal('dev'), Type.Literal('held_out')]),
    /**
     * The wording of the question: without any content word of its passage, with some of them, with its names, numbers
     * and codes, or with spelling mistakes. No document answers the `unanswerable` questions.
     */
    kind: Type.Union(KINDS.map((kind) => Type.Literal(kind))),
    question: Type.String({ minLength: 1 }),
    /** Each of them is an answer; the document contains the quote, ignoring line breaks and punctuation. */
    answers: Type.Array(
      Type.Object(
        { document: Type.String({ minLength: 1 }), quote: Type.String({ minLength: 5 }) },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

export type Question = Static<typeof Question>;

export async function evaluationQuestions(): Promise<Question[]> {
  const lines = (await Bun.file(join(import.meta.dir, 'questions.jsonl')).text()).trim().split('\n');
  return lines.map((line, index) => {
    const question: unknown = JSON.parse(line);
    if (
      !Value.Check(Question, question) ||
      (question.kind === 'unanswerable') !== (question.answers.length === 0)
    )
      throw new Error(`questions.jsonl, line ${index + 1}: not a question`);
    return question;
  });
}

/** Every document that is searched, by name. */
export async function evaluationDocuments(): Promise<Map<string, Uint8Array>> {
  const samples = (await sampleDocuments()).map((name) => [name, sampleDocument(name)] as const);
  const body = (await readdir(join(import.meta.dir, 'sqlite')))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => [`sqlite/${name}`, join(import.meta.dir, 'sqlite', name)] as const);
  return new Map(
    await Promise.all(
      [...samples, ...body].map(async ([name, path]) => [name, await Bun.file(path).bytes()] as const),
    ),
  );
}

/** A text's letters and digits, which don't depend on how a document was read. */
export function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
