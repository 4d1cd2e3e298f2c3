/** Indexes a folder and searches it; prints what that took: `bun bench/knowledge-process.ts DOCUMENTS INDEX`. */
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
const LOOK_MS = 2;

const [documentsPath = '', indexPath = ''] = process.argv.slice(2);
let most = 0;
let longestTurn = 0;
let worked = workedMs();
const looking = setInterval(() => {
  const now = workedMs();
  longestTurn = Math.max(longestTurn, now - worked);
  worked = now;
}, LOOK_MS);
const weighing = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, 20);

const library = openLocalLibrary({
  documentsPath,
  indexPath,
  openEmbedder: async () => hashedEmbedder(),
  reader: openReader(),
  log: { info: () => {}, warn: (_, message) => console.error(message) },
});
const begun = performance.now();
await library.scan();
const seconds = (performance.now() - begun) / 1000;
clearInterval(looking);
clearInterval(weighing);
const passages = (await library.documents()).reduce((sum, { chunks }) => sum + chunks, 0);

const times: number[] = [];
for (const question of await questions()) {
  const start = performance.now();
  await library.search(question);
  times.push(performance.now() - start);
}
// The first ones load the index.
times.splice(0, 20);
times.sort((one, other) => one - other);
const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
const megabytes = Math.round(most / 1024 ** 2);
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

/** Processor time of this thread: how long others wait for a turn, whatever else runs on the machine. */
function workedMs(): number {
  if (process.platform !== 'linux') return performance.now();
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Some words in a row of some document. */
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
