/** Formats the evaluation over documentation as Markdown. */
import { ASKED, type Corpus } from './documentation.ts';
import { documentFigures, type JudgedQuestion, ORDERS } from './judge-documents.ts';

export interface EvaluatedCorpus {
  corpus: Corpus;
  documents: number;
  passages: number;
  judged: readonly JudgedQuestion[];
}

const SPLITS = { dev: 'development', held_out: 'held-out' } as const;
const ANSWERED = ASKED.filter((kind) => kind !== 'unanswerable');

/** Per corpus and split: recall@5 and nDCG@10 by kind of question, then how often `found` was wrong. */
export function documentationReport(evaluated: readonly EvaluatedCorpus[]): string {
  return [...evaluated.map(corpusTables), foundTable(evaluated)].join('\n\n');
}

function corpusTables({ corpus, documents, passages, judged }: EvaluatedCorpus): string {
  const times = judged.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
  const head = `### ${corpus.name}: ${documents} documents, ${passages} passages

${capital(corpus.description)}. A search takes ${at(0.5)} ms of processor time (p50; p95 ${at(0.95)} ms).`;
  const tables = splitsOf(judged).map(([split, half]) => splitTable(SPLITS[split], half));
  return [head, ...tables].join('\n\n');
}

function splitTable(name: string, judged: readonly JudgedQuestion[]): string {
  const counts = ANSWERED.map((kind) => `${kind} (${documentFigures(judged, 'hybrid', kind).questions})`);
  const all = documentFigures(judged, 'hybrid').questions;
  const rows = ORDERS.map((order) => {
    const cells = [undefined, ...ANSWERED].map((kind) => {
      const { recallAt5, ndcgAt10 } = documentFigures(judged, order, kind);
      return `${recallAt5.toFixed(2)} ${ndcgAt10.toFixed(3)}`;
    });
    return `| ${[order, ...cells].join(' | ')} |`;
  });
  return `| ${[name, `all (${all})`, ...counts].join(' | ')} |
|${'---|'.repeat(counts.length + 2)}
${rows.join('\n')}`;
}

function foundTable(evaluated: readonly EvaluatedCorpus[]): string {
  const rows = evaluated.flatMap(({ corpus, judged }) =>
    splitsOf(judged).flatMap(([split, half]) => {
      const name = `${corpus.name}, ${SPLITS[split]}`;
      return [
        foundRow(name, half, ({ found }) => found),
        foundRow(`${name}, other words`, half, ({ foundWithWords }) => foundWithWords),
      ];
    }),
  );
  return `### found

How many unanswerable questions were found, and how many other questions were not. "other words": if a search finds nothing, it is
repeated with the words that a language model adds to the question, as the workflow does.

| wrongly | ${ASKED.join(' | ')} |
|${'---|'.repeat(ASKED.length + 1)}
${rows.join('\n')}`;
}

function foundRow(
  name: string,
  judged: readonly JudgedQuestion[],
  isFound: (judged: JudgedQuestion) => boolean,
): string {
  const cells = ASKED.map((kind) => {
    const asked = judged.filter(({ question }) => question.kind === kind);
    const wrong = asked.filter((each) => isFound(each) !== each.question.documents.length > 0);
    return `${wrong.length} of ${asked.length}`;
  });
  return `| ${[name, ...cells].join(' | ')} |`;
}

function splitsOf(judged: readonly JudgedQuestion[]): [keyof typeof SPLITS, JudgedQuestion[]][] {
  return (['dev', 'held_out'] as const).flatMap((split) => {
    const half = judged.filter(({ question }) => question.split === split);
    return half.length === 0 ? [] : [[split, half] as [typeof split, JudgedQuestion[]]];
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
