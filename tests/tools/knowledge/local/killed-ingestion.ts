/** Indexes a folder in a separate process, and kills it at the given step: `documents index step n`. */
import { openReader } from '../../../../tools/knowledge/documents/process/open-reader.ts';
import { hashedEmbedder } from '../../../../tools/knowledge/embedding/hashed.ts';
import { openLocalLibrary } from '../../../../tools/knowledge/local/open.ts';

const [documentsPath = '', indexPath = '', step, count] = process.argv.slice(2);
let left = Number(count);

function killAt(reached: string): void {
  if (reached === step && --left === 0) process.kill(process.pid, 'SIGKILL');
}

const hashed = hashedEmbedder();
const library = openLocalLibrary({
  documentsPath,
  indexPath,
  openEmbedder: async () => ({
    ...hashed,
    async embed(texts, use, signal) {
      killAt('embed');
      return hashed.embed(texts, use, signal);
    },
  }),
  reader: openReader({ processes: 1 }),
  log: { info: () => {}, warn: () => {} },
  // Runs after passages are written but not yet assigned to their document, and again after that.
  onProgress: () => killAt('progress'),
});
if (step === 'later') setTimeout(() => process.kill(process.pid, 'SIGKILL'), left);
await library.scan();
await library.close();
