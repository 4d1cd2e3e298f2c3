/** The process that reads documents one after another, so that a parser that hangs or crashes affects nothing else. */
import { writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import { cutDocument } from '../cut.ts';
import { extractText } from '../extract.ts';
import { UnreadableDocument } from '../reader.ts';
import { endProcess } from './end-process.ts';
import type { Answer, Task } from './messages.ts';
import type { Allowed } from './own-watch.ts';
import { readTasks } from './tasks.ts';

// Must be defined before the code below, which uses it and runs immediately.
const NICE = 5;
// Passages per part: even with headings and escaping, the line must stay below the longest that the service reads.
const BATCH = 64;

// On machines with few cores, the service's own work has priority.
setPriority(NICE);
// Parsers print warnings to standard output, which is reserved for answers.
console.log = console.info = console.debug = () => {};
// A second thread ends the process when the service has exited or the time is up, because a parser in an endless loop would not
// notice.
const watch = new Worker(new URL('./own-watch.ts', import.meta.url).href);
const allow = (seconds: Allowed) => watch.postMessage(seconds);

for await (const { task, bytes, taken } of readTasks(Bun.stdin.stream())) {
  allow(task.seconds);
  try {
    await answer(task, bytes, taken);
  } catch (error) {
    say({ is: 'unreadable', reason: reasonOf(error) });
  }
  allow(undefined);
}
endProcess();

/** Sends a part only after the service has taken the previous one, so the service holds one at a time. */
async function answer(
  { name, ending, bounds }: Task,
  bytes: Uint8Array,
  taken: () => Promise<unknown>,
): Promise<void> {
  const text = await extractText(ending, bytes, bounds);
  const { chunks, parents } = cutDocument(name, text, bounds);
  for (let at = 0; at < parents.length; at += BATCH) {
    say({ is: 'part', part: { parents: parents.slice(at, at + BATCH), chunks: [] } });
    await taken();
  }
  for (let at = 0; at < chunks.length; at += BATCH) {
    say({ is: 'part', part: { parents: [], chunks: chunks.slice(at, at + BATCH) } });
    await taken();
  }
  say({ is: 'read' });
}

/** Doesn't include a parser's error, because it may quote the document and name files of the host. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableDocument) return error.message;
  if (error instanceof RangeError) return 'It is nested too deeply or too large';
  return 'It is damaged, or its file extension is wrong';
}

function say(answer: Answer): void {
  const bytes = Buffer.from(`${JSON.stringify(answer)}\n`);
  try {
    for (let sent = 0; sent < bytes.length; ) sent += writeSync(1, bytes, sent);
  } catch {
    // The service no longer listens.
    endProcess();
  }
}
