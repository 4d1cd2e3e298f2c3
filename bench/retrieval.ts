/** How well questions find the documents that answer them, over the documentation of Debian's packages. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { documentationReport } from '../evals/knowledge/documentation-report.ts';
import { evaluateDocumentation } from '../evals/knowledge/evaluate-documentation.ts';

const ROOT = join(import.meta.dir, '..');
const FOLDER = join(ROOT, '.tmp', 'documentation');

/** Downloads the packages with apt-get where they are not there yet. */
export async function retrieval(): Promise<string> {
  if (!existsSync(FOLDER)) {
    const script = join(ROOT, 'evals', 'knowledge', 'corpora', 'documentation.sh');
    const child = Bun.spawn(['sh', script, FOLDER], { stdout: 'ignore', stderr: 'inherit' });
    if ((await child.exited) !== 0) throw new Error('the packages of documentation cannot be downloaded');
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
which a model that knows the answers puts the 20 best passages: the upper bound of \`rerank\`. "model" uses the vectors of a
simulated embedding model instead of the built-in one. All constants were chosen by the development halves.

${documentationReport(evaluated)}
`;
}
