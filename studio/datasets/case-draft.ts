/** A case as the texts of a form, and the problems of these texts. */
import type { Case, Expectation, NewCase } from '../data/datasets.ts';
import { type JsonProblem, readJson } from '../parts/json/json-text.ts';

export type ExpectKind = 'exact' | 'contains' | 'json';

export interface CaseDraft {
  id: string;
  question: string;
  /** For `input` and `call`, the question is JSON. */
  asks: 'prompt' | 'input' | 'call';
  kind: ExpectKind;
  expected: string;
  tags: string;
  notes: string;
}

export interface DraftProblems {
  question?: string;
  asked?: JsonProblem;
  expected?: string;
  json?: JsonProblem;
}

export function draftOf({ id, prompt, input, call, expect, tags, notes }: Partial<Case>): CaseDraft {
  const json = input ?? call;
  return {
    id: id ?? '',
    question: json === undefined ? (prompt ?? '') : JSON.stringify(json, null, 2),
    asks: input ? 'input' : call ? 'call' : 'prompt',
    ...expectedOf(expect ?? { exact: '' }),
    tags: tags?.join(', ') ?? '',
    notes: notes ?? '',
  };
}

/** Changes the kind. For JSON, converts the current expectation to JSON. */
export function withKind(draft: CaseDraft, kind: ExpectKind): CaseDraft {
  if (kind !== 'json' || draft.kind === 'json') return { ...draft, kind };
  return { ...draft, kind, expected: JSON.stringify(expectOf(draft, {}) ?? {}, null, 2) };
}

/** The case, or its problems. Keeps properties that the form doesn't show: `thread` and `source`. */
export function caseOf(
  draft: CaseDraft,
  before: Partial<Case>,
): { made: NewCase } | { problems: DraftProblems } {
  const problems: DraftProblems = {};
  const json = draft.asks === 'prompt' ? undefined : readJson(draft.question);
  const expect = expectOf(draft, problems);
  if (json?.problem) problems.asked = json.problem;
  else if (draft.question.trim() === '') problems.question = 'Enter a question.';
  if (Object.keys(problems).length > 0 || !expect) return { problems };
  const { thread, source } = before;
  const tags = draft.tags.split(',').flatMap((tag) => tag.trim() || []);
  const id = draft.id.trim();
  const asked = json ? { [draft.asks]: (json as { value: unknown }).value } : { prompt: draft.question };
  const made: NewCase = {
    ...(id !== '' && { id }),
    ...asked,
    ...(thread !== undefined && { thread }),
    expect,
    ...(tags.length > 0 && { tags }),
    ...(draft.notes.trim() !== '' && { notes: draft.notes }),
    ...(source && { source }),
  };
  return { made };
}

function expectedOf(expect: Expectation): Pick<CaseDraft, 'kind' | 'expected'> {
  const [only, ...more] = Object.keys(expect);
  if (only === 'exact' && more.length === 0) return { kind: 'exact', expected: expect.exact ?? '' };
  const parts = expect.contains ?? [];
  const isLines = parts.every((part) => !part.includes('\n'));
  if (only === 'contains' && more.length === 0 && isLines)
    return { kind: 'contains', expected: parts.join('\n') };
  return { kind: 'json', expected: JSON.stringify(expect, null, 2) };
}

function expectOf({ kind, expected }: CaseDraft, problems: DraftProblems): Expectation | undefined {
  if (kind === 'json') {
    const read = readJson(expected);
    if (read.problem) problems.json = read.problem;
    return read.problem ? undefined : (read.value as Expectation);
  }
  if (expected.trim() === '') {
    problems.expected = 'Enter an expected answer.';
    return undefined;
  }
  if (kind === 'exact') return { exact: expected };
  return { contains: expected.split('\n').flatMap((line) => line.trim() || []) };
}
