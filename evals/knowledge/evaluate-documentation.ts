/** Indexes each documentation library in a separate folder, and evaluates its questions. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openReader } from '../../tools/knowledge/documents/process/open-reader.ts';
import type { Embedder } from '../../tools/knowledge/embedding/embedder.ts';
import { hashedEmbedder } from '../../tools/knowledge/embedding/hashed.ts';
import { type Index, readIndex } from '../../tools/knowledge/local/index/open-index.ts';
import { openLocalLibrary } from '../../tools/knowledge/local/open.ts';
import { openIndexReader } from '../../tools/knowledge/local/read-only.ts';
import { openBaselines } from './baselines.ts';
import { CORPORA, type Corpus, copyCorpus, corpusQuestions, corpusWords } from './documentation.ts';
import type { EvaluatedCorpus } from './documentation-report.ts';
import { judgeDocuments } from './judge-documents.ts';
import { simulatedModel } from './simulated-model.ts';

export interface DocumentationOptions {
  /** Where the packages are unpacked. */
  folder: string;
  /** The configured embedding model; without one, a simulated model is evaluated instead. */
  model: Embedder | undefined;
  isDevOnly: boolean;
  say(line: string): void;
}

export async function evaluateDocumentation(options: DocumentationOptions): Promise<EvaluatedCorpus[]> {
  const evaluated: EvaluatedCorpus[] = [];
  for (const corpus of CORPORA) {
    const base = await mkdtemp(join(tmpdir(), 'skein-eval-'));
    try {
      evaluated.push(await evaluateCorpus(corpus, base, options));
    } finally {
      await rm(base, { recursive: true });
    }
  }
  return evaluated;
}

async function evaluateCorpus(
  corpus: Corpus,
  base: string,
  { folder, model, isDevOnly, say }: DocumentationOptions,
): Promise<EvaluatedCorpus> {
  const [documentsPath, indexPath] = [join(base, 'documents'), join(base, 'index')];
  const questions = (await corpusQuestions(corpus)).filter(({ split }) => !isDevOnly || split === 'dev');
  say(`${corpus.name}: indexing ${await copyCorpus(corpus, folder, documentsPath)} files`);
  await indexed({ documentsPath, indexPath, embedder: hashedEmbedder() });
  const modelPath = model ? join(base, 'index-of-model') : indexPath;
  if (model) await indexed({ documentsPath, indexPath: modelPath, embedder: model });

  const index = there(await readIndex(indexPath, hashedEmbedder()));
  const baselines = await openBaselines(index.catalog, index.passages);
  const texts = await firstTexts(index);
  const entries = Array.from(index.catalog.entries()).filter(({ chunks }) => chunks > 0);
  index.close();
  const passages = entries.reduce((sum, { chunks }) => sum + chunks, 0);
  say(`${corpus.name}: ${passages} passages, ${questions.length} questions`);

  const own = there(await openIndexReader(indexPath, hashedEmbedder()));
  const judgedModel = model ?? simulatedModel(questions, (name) => texts.get(name));
  const modelled = there(await openIndexReader(modelPath, judgedModel));
  // The first search reads the vocabulary.
  await own.search('index');
  const judged = await judgeDocuments(questions, await corpusWords(corpus), { own, modelled, baselines });
  await Promise.all([own.close(), modelled.close()]);
  baselines.close();
  return { corpus, documents: entries.length, passages, judged };
}

async function indexed({
  embedder,
  ...paths
}: {
  documentsPath: string;
  indexPath: string;
  embedder: Embedder;
}): Promise<void> {
  const openEmbedder = async () => embedder;
  const library = openLocalLibrary({ ...paths, openEmbedder, reader: openReader(), log: SILENT });
  await library.scan().finally(library.close);
}

/** Keeps the first passage of each document. */
async function firstTexts({ catalog, passages }: Index): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const moment = catalog.moment();
  for await (const batch of passages.bodies())
    for (const { revision, body } of batch) {
      const document = catalog.documentAt(revision, moment);
      if (document !== undefined && !texts.has(document)) texts.set(document, body);
    }
  return texts;
}

function there<T>(index: T | undefined): T {
  if (!index) throw new Error('nothing was indexed');
  return index;
}

const SILENT = { info() {}, warn() {} };
