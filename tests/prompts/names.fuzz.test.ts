/** Names of prompt files and revisions: accepted names stay below the folder of prompts. */
import { expect } from 'bun:test';
import { join, normalize, sep } from 'node:path';
import fc from 'fast-check';
import { describePrompt, isPromptFile, isPromptName, isRevision } from '../../prompts/names.ts';
import { anyOrder, anyText, property } from '../support/property.ts';

const PIECES = [
  'a',
  'B',
  '0',
  '.',
  '..',
  '-',
  '_',
  '/',
  '\\',
  '%2e',
  '\0',
  '\n',
  ' ',
  '.md',
  '.jinja',
  '.txt',
  '.exe',
  'é',
  '~',
  ':',
];
const name = fc.oneof(
  anyOrder(PIECES, 6),
  anyOrder(PIECES, 6).map((text) => `${text}.md`),
  anyText,
  fc.nat(140).map((length) => `${'a'.repeat(length)}.md`),
);

property(
  'an accepted name is one file in one folder on every operating system',
  [name, name],
  (revision, file) => {
    if (!isPromptName({ revision, file })) return;
    const path = join('/prompts', revision, file);
    expect(path).toBe(`/prompts/${revision}/${file}`);
    expect(normalize(path).split(sep)).toEqual(['', 'prompts', revision, file]);
    expect(`${revision}${file}`).toMatch(/^[\x21-\x7e]+$/);
    expect(encodeURIComponent(file)).toBe(file);
    // With the suffix of a temporary file, file systems reject longer names.
    expect(file.length).toBeLessThan(200);
  },
);

property('a name is accepted exactly if its characters, length and extension are valid', [name], (text) => {
  const plain = /^[A-Za-z0-9._-]+$/.test(text) && /^[A-Za-z0-9]/.test(text) && !text.includes('..');
  expect(isRevision(text)).toBe(plain && text.length <= 64);
  const [, stem = ''] = /^(.*)\.(?:md|jinja|txt)$/s.exec(text) ?? [];
  expect(isPromptFile(text)).toBe(plain && stem.length > 0 && stem.length <= 128);
});

property('an error shows a name as plain text of limited length', [name, name], (revision, file) => {
  const place = describePrompt({ revision, file });
  expect(place).toMatch(/^[\x20-\x7e]+$/);
  expect(place.length).toBeLessThan(400);
});
