/** Keeps standard output for the protocol: a line that a graph prints would break it. */
import { Writable } from 'node:stream';

/** Returns the stream for the protocol's messages; all other standard output goes to standard error. */
export function takeStandardOutput(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  // Bun's console writes to the descriptor itself.
  for (const method of ['log', 'info', 'debug', 'table', 'dir'] as const) console[method] = console.error;
  return new Writable({ write: (piece, _, done) => void write(piece, () => done()) });
}
