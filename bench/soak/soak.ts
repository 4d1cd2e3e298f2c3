/** Mixed load with faults for as long as asked: memory, descriptors and event-loop delay, as CSV, as a plot and as a summary. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../load.ts';
import { start, startSkein } from '../processes.ts';
import { type MixedLoad, mixedLoad } from './mixed-load.ts';
import { plot } from './plot.ts';
import { type Sample, samplerOf } from './samples.ts';

const MINUTES = 60;
/** Operations a second; most of them are one turn. */
const RATE = 6;
const SAMPLE_SECONDS = 15;
const SEED = 20;
const FOLDER = join(import.meta.dir, '..');

export async function soak(minutes = MINUTES): Promise<string> {
  const heapFile = join(tmpdir(), `skein-soak-${process.pid}.json`);
  const provider = await start([join(import.meta.dir, 'faulty-provider.ts'), String(SEED)]);
  const service = await startSkein(
    provider,
    {
      SOAK_HEAP_FILE: heapFile,
      SERVICE_TELEMETRY__LOG_LEVEL: 'silent',
      SERVICE_LOCAL_SQL_DB__SEED_SAMPLES: 'true',
      SERVICE_KNOWLEDGE_BASE__SEED_SAMPLES: 'true',
    },
    { preload: join(import.meta.dir, 'collected-heap.ts') },
  );
  const until = performance.now() + minutes * 60_000;
  const load = mixedLoad({ url: service.url, seed: SEED, rate: RATE, until });
  const sampler = samplerOf({ ...service, heapFile });
  const samples: Sample[] = [];
  while (performance.now() < until) {
    await Bun.sleep(SAMPLE_SECONDS * 1_000);
    samples.push(await sampler.sample());
    // Write after each sample, so that an aborted run keeps its measurements.
    await write(samples);
  }
  await load.ended;
  console.log(`operations ${JSON.stringify(load.operations)}\noutcomes ${JSON.stringify(load.outcomes)}`);
  console.log(`grown since the first sample: ${JSON.stringify(await sampler.grown())}`);
  for (const { stop } of [service, provider]) await stop();
  await Bun.file(heapFile).delete();
  return summary(minutes, samples, load);
}

async function write(samples: Sample[]): Promise<void> {
  const rows = samples.map((sample) => Object.values(sample).map((value) => Number(value.toFixed(3))));
  const names = Object.keys(samples[0] ?? {});
  await Bun.write(join(FOLDER, 'soak.csv'), `${[names, ...rows].map((row) => row.join(',')).join('\n')}\n`);
  const column = (name: keyof Sample) => samples.map((sample) => sample[name]);
  const charts = [
    { title: 'Resident memory of the service, MB', values: column('rss') },
    { title: 'JavaScript heap after a collection, MB', values: column('heap') },
    { title: 'Open descriptors', values: column('descriptors') },
    { title: 'Event-loop delay of the service, mean of the interval, ms', values: column('loopMean') },
    { title: 'The same of a process with nearly nothing to do, ms', values: column('controlMean') },
  ];
  const minutes = column('at').map((seconds) => seconds / 60);
  await Bun.write(join(FOLDER, 'soak.svg'), plot('Mixed load with faults', minutes, charts));
}

function summary(minutes: number, samples: Sample[], { operations, outcomes }: MixedLoad): string {
  const third = Math.floor(samples.length / 3);
  const [first, last] = [samples.slice(0, third), samples.slice(-third)];
  const middle = (part: Sample[], name: keyof Sample) => median(part.map((sample) => sample[name]));
  const row = (title: string, name: keyof Sample, digits: number) => {
    const values = [middle(first, name), middle(last, name)] as const;
    const most = Math.max(...samples.map((sample) => sample[name]).filter(Number.isFinite));
    const [before, after] = values.map((value) => value.toFixed(digits));
    return `| ${title} | ${before} | ${after} | ${(values[1] / values[0]).toFixed(2)} | ${most.toFixed(digits)} |`;
  };
  const total = Object.values(operations).reduce((sum, count) => sum + count, 0);
  const failed = Object.entries(outcomes).filter(([outcome]) => /MODEL|50\d/.test(outcome));
  const cpu = ((samples.at(-1)?.cpu ?? 0) / (samples.at(-1)?.at ?? 1)) * 100;
  return `## Mixed load over time

${total} operations in ${minutes} minutes, ${RATE} a second on average: turns in all forms, clients that leave, cancellations, forks and deletions, SQL, the knowledge
base, LangGraph's and OpenAI's protocols, reads, and invalid requests. Six of a hundred model calls fail in different ways, and the
provider is down for 15 s every 5 minutes, so ${failed.reduce((sum, [, count]) => sum + count, 0)} requests failed with a provider error. The service used ${cpu.toFixed(0)} %
of one core. The machine is shared with other work: the control is the same timer in a
process that has nearly nothing to do.

| median of a third of the run | first third | last third | ratio | maximum |
|---|---|---|---|---|
${row('resident memory, MB', 'rss', 0)}
${row('heap after a collection, MB', 'heap', 1)}
${row('open descriptors', 'descriptors', 0)}
${row('event-loop delay, mean of 15 s, ms', 'loopMean', 2)}
${row('event-loop delay, 99 % are below, ms', 'loopP99', 1)}
${row('control: mean of 15 s, ms', 'controlMean', 2)}
${row('control: 99 % are below, ms', 'controlP99', 1)}

The heap after a collection grows by ${slopePerHour(samples.slice(third), 'heap').toFixed(2)} MB an hour over the last two thirds, and by ${slopePerHour(last, 'heap').toFixed(2)} over the last third
(slopes of fitted lines). The goals are resident memory of at most 1.1 times the first third, and a heap that doesn't grow. The
event-loop delay excludes these collections. All samples are in [soak.csv](soak.csv):

![Resident memory, heap, descriptors and event-loop delay over the time of the run](soak.svg)
`;
}

/** The slope of the least-squares line. */
function slopePerHour(samples: Sample[], name: keyof Sample): number {
  const hours = samples.map(({ at }) => at / 3_600);
  const values = samples.map((sample) => sample[name]);
  const mean = (list: number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [x, y] = [mean(hours), mean(values)];
  const covariance = hours.reduce((sum, hour, index) => sum + (hour - x) * ((values[index] ?? y) - y), 0);
  return covariance / hours.reduce((sum, hour) => sum + (hour - x) ** 2, 0);
}
