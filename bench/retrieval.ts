/** Retrieval quality of questions over the documentation of Debian packages. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { documentationReport } from '../evals/knowledge/documentation-report.ts';
import { evaluateDocumentation } from '../evals/knowledge/evaluate-documentation.ts';

const ROOT = join(import.meta.dir, '..');
const FOLDER = join(ROOT, '.tmp', 'documentation');

/** Downloads the packages with apt-get if they are missing. */
export async function retrieval(): Promise<string> {
  if (!existsSync(FOLDER)) {
    const script = join(ROOT, 'evals', 'knowledge', 'corpora', 'documentation.sh');
    const child = Bun.spawn(['sh', script, FOLDER], { stdout: 'ignore', stderr: 'inherit' });
    if ((await child.exited) !== 0) throw new Error('The documentation packages could not be downloaded');
  }
  const evaluated = await evaluateDocumentation({
    folder: FOLDER,
    model: undefined,
    isDevOnly: false,
    say: (line) => console.error(line),
  });
  return `## Retrieval over documentation

recall@5 and nDCG@10 of questions by kind, judged by the documents that answer them, with the built-in embedder. FTS5 and
BM25 search the same passages with their headings. "vector" and "text" are the two halves of "hybrid". "re-ranked" is the order in
which a model that knows the answers puts the 20 best passages: the upper bound of \`rerank\`. "other words" repeats a search that
finds nothing with the recorded words of a language model. "model" uses the vectors of a simulated embedding model instead of the
built-in one. All constants were tuned on the development halves.

${documentationReport(evaluated)}
`;
}
