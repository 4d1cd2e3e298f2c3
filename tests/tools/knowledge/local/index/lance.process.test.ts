/** LanceDB in a process of its own: what it says there. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BARE_ENVIRONMENT } from '../../../../support/bare-environment.ts';

setDefaultTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-lance-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PASSAGES = join(import.meta.dir, '../../../../../tools/knowledge/local/index/passages.ts');

/** An index over vectors that are all alike: LanceDB warns of each cluster that stays empty. */
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

test('writes no lines of its own to standard error', async () => {
  const child = Bun.spawn([process.execPath, '-e', PROGRAM, join(folder, 'index')], {
    cwd: join(import.meta.dir, '../../../../..'),
    env: BARE_ENVIRONMENT,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ code, out, errors }).toEqual({ code: 0, out: '', errors: '' });
});
