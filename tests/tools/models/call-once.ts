/** A program that makes one call, and writes its result and its cost: `bun call-once.ts <base URL>`. */
import { SkeinError } from '../../../state/errors.ts';
import { callModel } from '../../../tools/models/call/call.ts';
import { openClient } from '../../../tools/models/provider/client.ts';
import { endpointTo, modelAt, REQUEST, recordedRun } from './scripted.ts';

const line = endpointTo(process.argv[2] ?? '', { timeout_seconds: 5 });
// Loads the library before the measurement.
await openClient(modelAt(process.argv[2] ?? ''));
const before = process.memoryUsage.rss();
// Not `resourceUsage().maxRSS`: on Linux, it starts with the value of the parent process.
let peak = before;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 2);
const outcome = await callModel([line], REQUEST, recordedRun()).then(
  ({ text }) => text,
  (error) => (error instanceof SkeinError ? `${error.code} ${error.detail}` : String(error)),
);
clearInterval(watch);
process.stdout.write(JSON.stringify({ output: outcome, grownBytes: peak - before }));
