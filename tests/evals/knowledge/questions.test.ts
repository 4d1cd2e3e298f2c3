/** The evaluation set of retrieval is valid: its quotes exist, and its questions are worded as their kind says. */
import { beforeAll, expect, test } from 'bun:test';
import {
  evaluationDocuments,
  evaluationQuestions,
  KINDS,
  lettersOf,
  type Question,
} from '../../../evals/knowledge/questions.ts';
import { contentStems, passageAround } from './shared-words.ts';

let questions: Question[];
let documents: Map<string, string>;

beforeAll(async () => {
  questions = await evaluationQuestions();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  documents = new Map(
    [...(await evaluationDocuments())].map(([name, bytes]) => [name, decoder.decode(bytes)]),
  );
});

/** For each answer of the questions of a kind, the words that the question shares with the answer, and its other words. */
function sharing(kind: Question['kind']): { question: string; shared: string[]; own: string[] }[] {
  return questions
    .filter((each) => each.kind === kind)
    .flatMap(({ question, answers }) =>
      answers.map(({ document, quote }) => {
        const passage = contentStems(passageAround(documents.get(document) ?? '', quote));
        const own = [...contentStems(question)];
        return { question, own, shared: own.filter((word) => passage.has(word)) };
      }),
    );
}

test('the set has 144 questions, a third of each wording, 24 with spelling mistakes, and 48 without an answer', () => {
  const count = (kind: string) => questions.filter((each) => each.kind === kind).length;
  expect(KINDS.map(count)).toEqual([48, 48, 48, 24, 48]);
  expect(new Set(questions.map(({ question }) => question)).size).toBe(216);
});

test('half of each kind is held out', () => {
  for (const kind of KINDS) {
    const of = questions.filter((each) => each.kind === kind);
    expect(of.filter(({ split }) => split === 'held_out').length * 2, kind).toBe(of.length);
  }
});

test('every quote is in its document', () => {
  const missing = questions.flatMap(({ answers }) =>
    answers.filter(
      ({ document, quote }) => !lettersOf(documents.get(document) ?? '').includes(lettersOf(quote)),
    ),
  );
  expect(missing).toEqual([]);
});

test('a paraphrase shares no content word with the text around its answer', () => {
  const sharers = sharing('paraphrase').filter(({ shared }) => shared.length > 0);
  expect(sharers).toEqual([]);
});

test('a mixed question shares some of its content words and lacks others', () => {
  const others = sharing('mixed').filter(
    ({ shared, own }) => shared.length === 0 || shared.length === own.length,
  );
  expect(others).toEqual([]);
});

test('a lexical question shares most of its content words', () => {
  const others = sharing('lexical').filter(({ shared, own }) => shared.length * 2 <= own.length);
  expect(others).toEqual([]);
});

test("a misspelt question has words that its document doesn't have", () => {
  const others = questions
    .filter(({ kind }) => kind === 'misspelt')
    .filter(({ question, answers }) =>
      answers.some(({ document }) => {
        const there = contentStems(documents.get(document) ?? '');
        return [...contentStems(question)].every((word) => there.has(word));
      }),
    );
  expect(others).toEqual([]);
});

test('the words of a passage are those of its headings and near the quote', () => {
  const text = '# Bikes\n\n## Tyres\n\nPump them.\n\n## Brakes\n\nSqueeze hard.\n\n### Pads\n\nOther.\n';
  expect(passageAround(text, 'squeeze hard')).toBe('Bikes\nBrakes\n\n\nSqueeze hard.\n\n');
  expect(() => passageAround(text, 'nowhere')).toThrow('no "nowhere"');
  expect([...contentStems('The over-fitted tyres')]).toEqual(['fit', 'tire']);
});
