/** What files are called once they are uploaded, and which are refused before. */
import { expect, test } from 'bun:test';
import { refusalOf, uploadName } from '../../studio/knowledge/upload-name.ts';

const TAKEN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.(md|txt|html|pdf|docx|csv)$/;

test('names become such as the service takes', () => {
  const names = {
    'bells.md': 'bells.md',
    'Größe & Maß (2).PDF': 'Grosse-Mass-2.pdf',
    '../../etc/passwd.txt': 'etc-passwd.txt',
    'ein..zwei.htm': 'ein.zwei.html',
    '.hidden.md': 'hidden.md',
    '表.csv': 'document.csv',
    [`${'a'.repeat(300)}.docx`]: `${'a'.repeat(128)}.docx`,
  };
  for (const [given, wanted] of Object.entries(names)) {
    expect(uploadName(given)).toBe(wanted);
    expect(uploadName(given)).toMatch(TAKEN);
  }
});

test('what cannot be read is refused with the reason', () => {
  expect(refusalOf('a.md', { size: 1 })).toBeUndefined();
  for (const name of ['a.png', 'md', uploadName('README')])
    expect(refusalOf(name, { size: 1 })).toContain('Only md, txt');
  expect(refusalOf('a.md', { size: 0 })).toContain('empty');
  expect(refusalOf('a.md', { size: 20 * 1024 * 1024 + 1 })).toContain('20 MiB');
});
