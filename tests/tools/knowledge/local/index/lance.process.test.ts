/** LanceDB in a separate process, and its output. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../../../../support/bare-environment.ts';

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-lance-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PASSAGES = join(import.meta.dir, '../../../../../tools/knowledge/local/index/passages.ts');

/** An index over equal vectors, because LanceDB warns of each empty cluster. */
const PROGRAM = `
  import { openPassages } from ${JSON.stringify(PASSAGES)};
  const passages = await openPassages(process.argv[1]);
  const vector = new Float32Array(32).fill(1);
  const rows = Array.from({ length: 10_500 }, (_, at) => ({
    revision: 1,
    vector,
    chunk: { id: String(at), text: 'word', parent: 'p', heading: '', page: null, start: 0, end: 4 },
  }));
  await passages.add(rows);
  await passages.upkeep('busy');
  passages.close();
`;

test('LanceDB writes nothing to standard error', async () => {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM, join(folder, 'index')], {
    cwd: join(import.meta.dir, '../../../../..'),
    env: BARE_ENVIRONMENT,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ code, out, errors }).toEqual({ code: 0, out: '', errors: '' });
});
