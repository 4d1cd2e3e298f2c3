/** The names of uploaded files, and which files are rejected before the upload. */
import { expect, test } from 'bun:test';
import { ENDINGS, uploadName, uploadProblem } from '../../studio/knowledge/upload-name.ts';
import { ENDINGS as SERVICE_ENDINGS } from '../../tools/knowledge/documents/file-extensions.ts';
import { UPLOAD_NAME } from '../../tools/knowledge/local/folder/uploads.ts';

// The pattern of the service.
const TAKEN = new RegExp(UPLOAD_NAME, 'u');

test('file names are converted to names that the service accepts', () => {
  const names = {
    'bells.md': 'bells.md',
    'Größe & Maß (2).PDF': 'Größe & Maß (2).pdf',
    'what? a "name": 50%.md': 'what- a -name- 50.md',
    '../../etc/passwd.txt': 'etc-passwd.txt',
    'ein..zwei.htm': 'ein.zwei.htm',
    '.hidden.md': 'hidden.md',
    '表.csv': '表.csv',
    '?.csv': 'document.csv',
    [`${'a'.repeat(300)}.docx`]: `${'a'.repeat(128)}.docx`,
    [`${'表'.repeat(300)}.docx`]: `${'表'.repeat(83)}.docx`,
  };
  for (const [name, expected] of Object.entries(names)) {
    expect(uploadName(name)).toBe(expected);
    expect(uploadName(name)).toMatch(TAKEN);
  }
});

test('an unreadable file is rejected with the reason', () => {
  expect(uploadProblem('a.md', { size: 1 })).toBeUndefined();
  for (const name of ['a.png', 'md', uploadName('README')])
    expect(uploadProblem(name, { size: 1 })).toContain('Only md, txt');
  expect(uploadProblem('a.md', { size: 0 })).toContain('empty');
  expect(uploadProblem('a.md', { size: 20 * 1024 * 1024 + 1 })).toContain('20 MiB');
});

test('the accepted file types are those that the service reads', () => {
  expect(ENDINGS.map((ending) => `.${ending}`)).toEqual([...SERVICE_ENDINGS]);
});
