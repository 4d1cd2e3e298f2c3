/** Runs every measurement side by side on this machine and writes them into bench/README.md. */
import { cpus } from 'node:os';
import { join } from 'node:path';
import { adopted } from './adopted.ts';
import { crowd } from './crowd.ts';
import { firstToken } from './first-token.ts';
import { fsyncTime } from './fsync.ts';
import { growth } from './growth.ts';
import { hostile } from './hostile.ts';
import { insights } from './insights.ts';
import { knowledge } from './knowledge.ts';
import { langgraph } from './langgraph.ts';
import { postgres } from './postgres.ts';
import { questions } from './questions.ts';
import { sql } from './sql.ts';
import { startUp } from './start-up.ts';
import { store } from './store.ts';
import { streaming } from './streaming.ts';
import { studio } from './studio.ts';
import { throughput } from './throughput.ts';
import { waiting } from './waiting.ts';

const sections: string[] = [];
for (const measure of [
  throughput,
  streaming,
  firstToken,
  adopted,
  langgraph,
  postgres,
  growth,
  startUp,
  crowd,
  waiting,
  sql,
  questions,
  knowledge,
  insights,
  hostile,
  store,
  studio,
]) {
  const text = await measure();
  console.log(`\n${text}`);
  sections.push(text);
}

const processor = cpus()[0]?.model ?? 'unknown processor';
const machine = `${cpus().length} cores (${processor.trim()}), ${process.platform} ${process.arch}, Bun ${Bun.version}`;
const head = `# Measurements

\`bun run bench\` makes this file. Everything in a table was measured in one run on one machine, in turn, so the ratios
hold where the absolute figures do not.

- machine: ${machine}, one fsync of a 4 KiB append ${fsyncTime()} ms (p50)
- date: ${new Date().toISOString().slice(0, 10)}
- provider: a local server that answers at once, 19 tokens streamed; all three programs share the cores with it
`;
await Bun.write(join(import.meta.dir, 'README.md'), `${[head, ...sections].join('\n')}\n`);
