/** Runs all measurements, or those that are named, and replaces their sections of bench/README.md. */
import { cpus } from 'node:os';
import { join } from 'node:path';
import { adopted } from './adopted.ts';
import { bounds } from './bounds.ts';
import { crowd } from './crowd.ts';
import { firstToken } from './first-token.ts';
import { fsyncTime } from './fsync.ts';
import { growth } from './growth.ts';
import { hostile } from './hostile.ts';
import { insights } from './insights.ts';
import { knowledge } from './knowledge.ts';
import { langgraph } from './langgraph.ts';
import { largeState } from './large-state.ts';
import { overload } from './overload.ts';
import { postgres } from './postgres.ts';
import { questions } from './questions.ts';
import { retrieval } from './retrieval.ts';
import { withHead, withSection } from './sections.ts';
import { soak } from './soak/soak.ts';
import { sql } from './sql.ts';
import { startUp } from './start-up.ts';
import { store } from './store.ts';
import { streaming } from './streaming.ts';
import { studio } from './studio.ts';
import { throughput } from './throughput.ts';
import { waiting } from './waiting.ts';

const MEASURES: Record<string, (minutes?: number) => Promise<string>> = {
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
  retrieval,
  insights,
  hostile,
  overload,
  bounds,
  store,
  largeState,
  studio,
};

/** Only run when they are named, because of the time they take; a number after the name is the time in minutes. */
const LONG_MEASURES: typeof MEASURES = { soak };

const args = process.argv.slice(2);
const minutes = args.map(Number).find((number) => number > 0);
const named = args.filter((arg) => !(Number(arg) > 0));
const all = { ...MEASURES, ...LONG_MEASURES };
const unknown = named.find((name) => !Object.hasOwn(all, name));
if (unknown !== undefined)
  throw new Error(`Unknown measurement '${unknown}'. Measurements: ${Object.keys(all).join(', ')}`);

const sections: string[] = [];
for (const [name, measure] of Object.entries(named.length > 0 ? all : MEASURES)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const text = await measure(minutes);
  console.log(text === '' ? `\n${name}: not measured, because a program is not installed` : `\n${text}`);
  sections.push(text);
}

const README = join(import.meta.dir, 'README.md');
const before = await Bun.file(README).text();
// Sections that were not measured now, such as the long ones, keep their results.
await Bun.write(README, sections.reduce(withSection, named.length > 0 ? before : withHead(before, head())));

function head(): string {
  const processor = cpus()[0]?.model ?? 'unknown processor';
  const machine = `${cpus().length} cores (${processor.trim()}), ${process.platform} ${process.arch}, Bun ${Bun.version}`;
  return `# Measurements

\`bun run bench\` generates this file. All values of a table were measured in one run on one machine, in alternating rounds, so the
ratios are meaningful even if the absolute values are not. \`bun run bench retrieval\` measures one section again. Sections that a
run doesn't measure, such as the mixed load over time, keep their earlier results.

- machine: ${machine}, one fsync of a 4 KiB append ${fsyncTime()} ms (p50)
- date: ${new Date().toISOString().slice(0, 10)}
- provider: a local server that answers immediately and streams 19 tokens; all three programs share the cores with it
`;
}
