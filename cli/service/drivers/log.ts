/** The service's log: one line per entry, as JSON or for people. */
import pino, { type Logger } from 'pino';

/** To standard error: standard output is for the output of commands. */
export function openLog(level: string, format: 'json' | 'pretty'): Logger {
  if (format === 'json') return pino({ level }, pino.destination(2));
  const write = (line: string) => process.stderr.write(`${prettyLine(JSON.parse(line))}\n`);
  return pino({ level }, { write });
}

function prettyLine({ level, time, pid, hostname, msg, err, ...fields }: Record<string, unknown>): string {
  const clock = new Date(Number(time)).toISOString().slice(11, 23);
  const label = pino.levels.labels[Number(level)]?.toUpperCase().padEnd(5);
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  return [`${clock} ${label} ${msg}`, ...rest].join('  ') + (stack ? `\n${stack}` : '');
}
