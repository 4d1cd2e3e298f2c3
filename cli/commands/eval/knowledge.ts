/** `skein eval knowledge`: how often the evaluation questions find the passages that answer them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { documentationReport } from '../../../evals/knowledge/documentation-report.ts';
import { evaluate, type Judged } from '../../../evals/knowledge/evaluate.ts';
import { evaluateDocumentation } from '../../../evals/knowledge/evaluate-documentation.ts';
import { evaluationDocuments, evaluationQuestions } from '../../../evals/knowledge/questions.ts';
import { evaluationReport } from '../../../evals/knowledge/report.ts';
import { parseFlags } from '../../../settings/flags.ts';
import { loadSettings } from '../../../settings/load.ts';
import { SkeinError } from '../../../state/errors.ts';
import { openReader } from '../../../tools/knowledge/documents/process/open-reader.ts';
import type { Embedder } from '../../../tools/knowledge/embedding/embedder.ts';
import { hashedEmbedder } from '../../../tools/knowledge/embedding/hashed.ts';
import { openLocalLibrary } from '../../../tools/knowledge/local/open.ts';
import { openEmbedder } from '../../service/drivers/knowledge-base.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';

/**
 * Leaves the configured documents and index alone. `--dev` skips the held-out half. `--documentation` asks questions about
 * documentation instead of the default set; it needs the documents in that folder.
 */
export async function evalKnowledge(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, [
    { name: '--dev' },
    { name: '--documentation', takes: '.tmp/documentation' },
  ]);
  const isDevOnly = own.has('--dev');
  const folder = own.get('--documentation');
  const embedders = await embeddersOf([...rest, ...words]);
  if (folder !== undefined) {
    const say = (line: string) => process.stderr.write(`${line}\n`);
    const [, model] = embedders;
    print(`${documentationReport(await evaluateDocumentation({ folder, model, isDevOnly, say }))}\n`);
    return 0;
  }
  for (const embedder of embedders)
    print(`${evaluationReport(embedder.name, await judged(embedder, isDevOnly))}\n`);
  return 0;
}

/** The built-in embedder, and the one that the service would use. */
async function embeddersOf(argv: string[]): Promise<Embedder[]> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env, flags: parseFlags(argv) });
  const [builtIn, used] = [hashedEmbedder(), await openEmbedder(loaded)];
  return used.name === builtIn.name ? [builtIn] : [builtIn, used];
}

async function judged(embedder: Embedder, isDevOnly: boolean): Promise<Judged[]> {
  const questions = (await evaluationQuestions()).filter(({ split }) => !isDevOnly || split === 'dev');
  // Report a provider's error once, not for every document.
  await embedder.embed(['bicycle'], 'query');
  const folder = await mkdtemp(join(tmpdir(), 'skein-eval-'));
  try {
    const documentsPath = join(folder, 'documents');
    await writeDocuments(documentsPath);
    const options = {
      documentsPath,
      indexPath: join(folder, 'index'),
      openEmbedder: async () => embedder,
      reader: openReader(),
      log: SILENT,
    };
    const library = openLocalLibrary(options);
    try {
      await library.scan();
      const failed = (await library.documents()).find(({ state }) => state === 'failed');
      if (failed)
        throw new SkeinError('INTERNAL_ERROR', { message: `${failed.name} is not indexed: ${failed.error}` });
      return await evaluate(questions, (question) => library.search(question, { limit: EVERY_CANDIDATE }));
    } finally {
      await library.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writeDocuments(folder: string): Promise<void> {
  for (const [name, bytes] of await evaluationDocuments()) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
}

const EVERY_CANDIDATE = 100;
const SILENT = { info() {}, warn() {} };
