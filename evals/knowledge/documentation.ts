/** Two libraries of real documentation, with questions and the documents that answer them. */
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { configurationError } from '../../state/errors.ts';

export const ASKED = ['plain', 'paraphrase', 'misspelt', 'foreign', 'unanswerable'] as const;

export const DocumentQuestion = Type.Object(
  {
    /** Only `dev` is used to choose constants and rules. */
    split: Type.Union([Type.Literal('dev'), Type.Literal('held_out')]),
    /**
     * With words of the documents, with other words, with spelling mistakes in most words, or in another language than
     * English. No document answers the `unanswerable` questions.
     */
    kind: Type.Union(ASKED.map((kind) => Type.Literal(kind))),
    question: Type.String({ minLength: 1 }),
    /** Each of them answers it. */
    documents: Type.Array(Type.String({ minLength: 1 })),
  },
  { additionalProperties: false },
);

export type DocumentQuestion = Static<typeof DocumentQuestion>;

interface Source {
  /** Below the folder of the unpacked packages. */
  from: string;
  /** Prefix of the names of its documents. */
  as: string;
  /** Files, and the extension that they get. */
  files: string;
  ending?: string;
}

export interface Corpus {
  name: 'sqlite' | 'debian';
  description: string;
  sources: Source[];
}

const DOC = 'usr/share/doc';

export const CORPORA: Corpus[] = [
  {
    name: 'sqlite',
    description: 'the documentation of SQLite (sqlite3-doc)',
    sources: [{ from: `${DOC}/sqlite3`, as: '', files: '**/*.html' }],
  },
  {
    name: 'debian',
    description: 'the documentation of Git, Vim, Perl and Python (git-doc, vim-doc, perl-doc, python3-doc)',
    sources: [
      { from: `${DOC}/git/html`, as: 'git/', files: '**/*.html' },
      { from: `${DOC}/git-doc`, as: 'git/', files: '**/*.html' },
      { from: `${DOC}/vim/html`, as: 'vim/', files: '**/*.html' },
      { from: 'usr/share/perl', as: 'perl/', files: '*/pod/*.pod', ending: '.txt' },
      { from: DOC, as: 'python/', files: 'python3.{[0-9],[0-9][0-9]}/html/**/*.html' },
    ],
  },
];

export async function corpusQuestions({ name }: Corpus): Promise<DocumentQuestion[]> {
  const questions = await linesOf(`${name}.jsonl`, DocumentQuestion);
  for (const { question, kind, documents } of questions)
    if ((kind === 'unanswerable') !== (documents.length === 0))
      throw new Error(`${name}.jsonl: '${question}' is ${kind} and has ${documents.length} documents`);
  return questions;
}

const RecordedWords = Type.Object(
  { question: Type.String(), words: Type.Array(Type.String({ minLength: 1 })) },
  { additionalProperties: false },
);

/**
 * The words that a language model added to each question, by question: recorded answers to the prompt of the step `condense`. The
 * model saw the questions of both libraries in random order, and none of the documents.
 */
export async function corpusWords({ name }: Corpus): Promise<Map<string, string[]>> {
  return new Map(
    (await linesOf(`${name}.words.jsonl`, RecordedWords)).map(({ question, words }) => [question, words]),
  );
}

async function linesOf<T extends TSchema>(file: string, schema: T): Promise<Static<T>[]> {
  const lines = (await Bun.file(join(import.meta.dir, 'corpora', file)).text()).trim().split('\n');
  return lines.map((line, index) => {
    const value: unknown = JSON.parse(line);
    if (!Value.Check(schema, value)) throw new Error(`${file}, line ${index + 1}: unexpected format`);
    return value;
  });
}

/** Copies the corpus's documents. Throws CONFIGURATION_ERROR if the packages are not below `folder`. */
export async function copyCorpus({ name, sources }: Corpus, folder: string, into: string): Promise<number> {
  let copied = 0;
  for (const { from, as, files, ending } of sources) {
    const base = join(folder, from);
    for (const file of await filesOf(base, files)) {
      // Perl and Python have their version in the path above.
      const short = file.replace(/^(?:\d+(?:\.\d+)*|python3\.\d+\/html)\//, '');
      const target = join(into, as, ending ? short.replace(/\.\w+$/, ending) : short);
      await mkdir(dirname(target), { recursive: true });
      await copyFile(join(base, file), target);
      copied++;
    }
  }
  if (copied === 0)
    throw configurationError(
      '--documentation',
      `${folder} has no documents of '${name}'; get them with evals/knowledge/corpora/documentation.sh ${folder}`,
    );
  return copied;
}

async function filesOf(folder: string, pattern: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: folder, onlyFiles: true }))).sort();
  } catch {
    return [];
  }
}
