/** The local knowledge base in a separate process: ingestion rate, search times and memory. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measured } from './knowledge-process.ts';

const SIZES = [10_000, 100_000];
const PASSAGES_PER_DOCUMENT = 50;

export async function knowledge(): Promise<string> {
  const lines: string[] = [];
  for (const size of SIZES) lines.push(line(await measured(size)));
  return `## Knowledge base

| passages | search p50 ms | search p99 ms | ingested per second | peak resident memory, MB | longest turn of the event loop, ms |
|---|---|---|---|---|---|
${lines.join('\n')}

Documents of ${PASSAGES_PER_DOCUMENT} passages in a folder, indexed with the built-in embedder; then 400 sequential questions,
each searched by vector and by words. Memory is that of the indexing process; another process reads the documents. A turn is
measured in processor time of its thread; the longest one loads LanceDB. The goals:
p50 under 15 ms at 10 000 and 40 ms at 100 000 passages, and 600 MB.
`;
}

function line({ passages, p50, p99, perSecond, megabytes, longestTurn }: Measured): string {
  const figures = [
    passages,
    p50.toFixed(1),
    p99.toFixed(1),
    Math.round(perSecond),
    megabytes,
    Math.round(longestTurn),
  ];
  return `| ${figures.join(' | ')} |`;
}

async function measured(passages: number): Promise<Measured> {
  const base = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  const documents = join(base, 'documents');
  mkdirSync(documents);
  try {
    const write = openWriter();
    for (let at = 0; at < passages / PASSAGES_PER_DOCUMENT; at++)
      await Bun.write(join(documents, `document-${at}.md`), write(at));
    const program = join(import.meta.dir, 'knowledge-process.ts');
    const child = Bun.spawn([process.execPath, program, documents, join(base, 'index')], {
      stderr: 'inherit',
    });
    return JSON.parse(await new Response(child.stdout).text());
  } finally {
    rmSync(base, { recursive: true });
  }
}

/** Generates prose with a realistic distribution: a few frequent words, many rare ones, and some of only this document. */
function openWriter(): (document: number) => string {
  const next = random(7);
  const letters = 'etaoinshrdlucmfwypvbgk';
  const letter = () => letters[Math.floor(next() * letters.length)] ?? 'e';
  const vocabulary = Array.from({ length: 30_000 }, () =>
    Array.from({ length: 3 + Math.floor(next() * 7) }, letter).join(''),
  );
  const word = (document: number) => {
    const at = next() < 0.25 ? 1_000 + document * 7 + Math.floor(next() * 40) : 30_000 ** next() - 1;
    return vocabulary[Math.floor(at) % vocabulary.length];
  };
  return (document) => {
    const sentence = () => `${Array.from({ length: 12 }, () => word(document)).join(' ')}.`;
    const section = (at: number) => `## Section ${at}\n\n${Array.from({ length: 5 }, sentence).join(' ')}`;
    const sections = Array.from({ length: PASSAGES_PER_DOCUMENT }, (_, at) => section(at));
    return [`# Document ${document}`, ...sections].join('\n\n');
  };
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
