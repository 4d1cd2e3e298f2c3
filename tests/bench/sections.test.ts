/** The sections of bench/README.md: a measurement only replaces its own section. */
import { expect, test } from 'bun:test';
import { withHead, withSection } from '../../bench/sections.ts';

const PAGE = '# Measurements\n\nOld head.\n\n## Streams\n\n1 ms\n\n## Mixed load\n\n36 minutes\n';

test('a section replaces the one with the same heading, and the order of the others is unchanged', () => {
  expect(withSection(PAGE, '## Streams\n\n2 ms\n')).toBe(PAGE.replace('1 ms', '2 ms'));
  expect(withSection(PAGE, '## Mixed load\n\n60 minutes\n')).toBe(PAGE.replace('36', '60'));
});

test('a new section is appended', () => {
  expect(withSection(PAGE, '## SQL\n\n3 ms\n')).toBe(`${PAGE}\n## SQL\n\n3 ms\n`);
});

test('a measurement that was skipped changes nothing', () => {
  expect(withSection(PAGE, '')).toBe(PAGE);
});

test('a new head keeps all sections', () => {
  expect(withHead(PAGE, '# Measurements\n\nNew head.\n')).toBe(PAGE.replace('Old', 'New'));
});
