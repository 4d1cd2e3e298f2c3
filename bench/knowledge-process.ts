/** Indexes a folder, searches it and prints the measurements: `bun bench/knowledge-process.ts DOCUMENTS INDEX`. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openReader } from '../tools/knowledge/documents/process/open-reader.ts';
import { hashedEmbedder } from '../tools/knowledge/embedding/hashed.ts';
import { openLocalLibrary } from '../tools/knowledge/local/open.ts';

export interface Measured {
  passages: number;
  perSecond: number;
  p50: number;
  p99: number;
  megabytes: number;
  longestTurn: number;
}

const QUESTIONS = 400;
const SAMPLE_MS = 2;

const [documentsPath = '', indexPath = ''] = process.argv.slice(2);
let maxMemory = 0;
let longestTurn = 0;
let processorTime = processorMs();
const turnTimer = setInterval(() => {
  const now = processorMs();
  longestTurn = Math.max(longestTurn, now - processorTime);
  processorTime = now;
}, SAMPLE_MS);
const memoryTimer = setInterval(() => {
  maxMemory = Math.max(maxMemory, process.memoryUsage.rss());
}, 20);

const library = openLocalLibrary({
  documentsPath,
  indexPath,
  openEmbedder: async () => hashedEmbedder(),
  reader: openReader(),
  log: { info: () => {}, warn: (_, message) => console.error(message) },
});
const startedAt = performance.now();
await library.scan();
const seconds = (performance.now() - startedAt) / 1000;
clearInterval(turnTimer);
clearInterval(memoryTimer);
const passages = (await library.documents()).reduce((sum, { chunks }) => sum + chunks, 0);

const times: number[] = [];
for (const question of await questions()) {
  const start = performance.now();
  await library.search(question);
  times.push(performance.now() - start);
}
// The first searches load the index.
times.splice(0, 20);
times.sort((one, other) => one - other);
const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
const megabytes = Math.round(maxMemory / 1024 ** 2);
const measured: Measured = {
  passages,
  perSecond: passages / seconds,
  p50: at(0.5),
  p99: at(0.99),
  megabytes,
  longestTurn,
};
console.log(JSON.stringify(measured));
await library.close();

/** Processor time of this thread, which, unlike wall-clock time, does not depend on other load of the machine. */
function processorMs(): number {
  if (process.platform !== 'linux') return performance.now();
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Queries of some consecutive words of a document. */
async function questions(): Promise<string[]> {
  const names = (await readdir(documentsPath)).sort();
  const texts = await Promise.all(
    names.slice(0, 40).map((name) => readFile(join(documentsPath, name), 'utf8')),
  );
  return Array.from({ length: QUESTIONS }, (_, index) => {
    const words = (texts[index % texts.length] ?? '').split(/\s+/);
    return words.slice(30 + index * 11, 38 + index * 11).join(' ');
  });
}
