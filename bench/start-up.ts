/** The time from the start of the process to `listening`, and its memory before the first turn. */
import { readFileSync } from 'node:fs';
import { median } from './load.ts';
import { startSkein } from './processes.ts';

const STARTS = 7;
// The core workflows only: a graph of one's own loads the packages that it imports.
const CORE = { config: 'config.yml' };
const QUIET = { SERVICE_TELEMETRY__LOG_LEVEL: 'error' };

export async function startUp(): Promise<string> {
  const times: number[] = [];
  const sizes: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const service = await startSkein(undefined, QUIET, CORE);
    times.push(service.readyAfter);
    sizes.push(residentMegabytes(service.pid));
    await service.stop();
  }
  return `## Start

\`skein serve\` with the core workflows listens after ${median(times).toFixed(0)} ms and then has ${median(sizes).toFixed(0)} MB resident (medians of ${STARTS} starts).
`;
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1000;
}
