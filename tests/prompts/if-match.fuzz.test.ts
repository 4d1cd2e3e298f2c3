/** If-Match of prompt files: a write happens exactly if the header has the tag of the newest version. */
import { afterAll, expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { localStore } from '../../prompts/local/store.ts';
import { readShippedPrompts } from '../../prompts/shipped-source.ts';
import { etagOf } from '../../prompts/store.ts';
import { SkeinError } from '../../state/errors.ts';
import { property } from '../support/property.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-if-match-'));
afterAll(() => rmSync(folder, { recursive: true }));

const store = localStore({ path: folder, shipped: await readShippedPrompts([]) });
const name = { revision: 'tried', file: 'w.plain.md' };
let text = 'first';
let { version } = await store.write(name, { bytes: Buffer.from(text), author: 'ana' });

const CURRENT = 'current';
const tag = fc.constantFrom(
  CURRENT,
  `W/${CURRENT}`,
  `"${'0'.repeat(32)}"`,
  '"',
  '',
  '*',
  '**',
  ' ',
  `${CURRENT}x`,
  'é',
);
const header = fc.array(tag, { minLength: 1, maxLength: 3 });

property(
  'a write is accepted exactly if one of the tags is that of the newest version',
  [header, fc.constantFrom(',', ', ', ' , '), fc.string()],
  async (tags, comma, next) => {
    const current = etagOf(version, Buffer.from(text));
    const ifMatch = tags.map((one) => one.replace(CURRENT, current)).join(comma);
    const matches = tags.includes(CURRENT) || ifMatch.trim() === '*';
    try {
      ({ version } = await store.write(name, { bytes: Buffer.from(`# ${next}`), author: 'ana', ifMatch }));
      text = `# ${next}`;
      expect([ifMatch, matches]).toEqual([ifMatch, true]);
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      expect([ifMatch, error.code, matches]).toEqual([ifMatch, 'PROMPT_CONFLICT', false]);
    }
  },
  { costs: 4 },
);
