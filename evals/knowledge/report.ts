/** Formats the results of a retrieval evaluation as a table. */
import { type Figures, figures, foundRight, type Judged, WAYS } from './evaluate.ts';
import { KINDS } from './questions.ts';

/** For each half its kinds of questions, in percent and in means, then how often `found` was right. */
export function evaluationReport(embedder: string, judged: readonly Judged[]): string {
  const halves = (['dev', 'held_out'] as const).flatMap((split) => {
    const half = judged.filter(({ question }) => question.split === split);
    return half.length === 0 ? [] : ['', ...tableOf(split, half), '', foundLine(half)];
  });
  return [`retrieval with ${embedder}: recall@5 in percent, MRR, nDCG@10`, ...halves].join('\n');
}

function tableOf(split: string, judged: readonly Judged[]): string[] {
  const answered = KINDS.filter((kind) => kind !== 'unanswerable');
  const row = (name: string, kind?: (typeof KINDS)[number]) => {
    const each = WAYS.map((way) => figures(judged, way, kind));
    return line(name, String(each[0]?.questions ?? 0), each.map(cell));
  };
  return [line(split, 'asked', [...WAYS]), ...answered.map((kind) => row(kind, kind)), row('all')];
}

function line(name: string, count: string, cells: readonly string[]): string {
  return [name.padEnd(10), count.padStart(5), ...cells.map((text) => text.padEnd(17))].join('   ').trimEnd();
}

function cell({ recallAt5, mrr, ndcgAt10 }: Figures): string {
  return `${(100 * recallAt5).toFixed(1).padStart(5)} ${mrr.toFixed(3)} ${ndcgAt10.toFixed(3)}`;
}

function foundLine(judged: readonly Judged[]): string {
  return `found is right: ${foundRight(judged)
    .map(({ kind, right, of }) => `${kind} ${right} of ${of}`)
    .join(', ')}`;
}
