/** Every figure of docs/reliability.md is in the measurements, and every promise has a test or a figure. */
import { expect, test } from 'bun:test';
import { textOf } from './pages.ts';

const rows = (await textOf('docs/reliability.md'))
  .split('\n')
  .filter((line) => /^\| (?!promise|---)/.test(line))
  .map((line) => line.slice(2, -2).split(/ ?\| ?/));

const measurements = (await Promise.all(['bench/README.md', 'docs/capacity.md'].map(textOf))).join('\n');

test('the page has promises, and each has a test or a figure', () => {
  expect(rows.length).toBeGreaterThan(25);
  for (const [promise = '', shown = '', measured = ''] of rows) {
    const isShown = shown.includes('.test.ts)') || /\d/.test(measured);
    expect({ promise, isShown }).toEqual({ promise, isShown: true });
    expect({ promise, measured }).not.toEqual({ promise, measured: expect.stringContaining('not measured') });
  }
});

test('every figure was measured', () => {
  const figures = rows.flatMap(([, , measured = '']) => figuresOf(measured));
  expect(figures.length).toBeGreaterThan(20);
  const known = new Set(figuresOf(measurements));
  expect(figures.filter((figure) => !known.has(figure))).toEqual([]);
});

test('a figure without a measurement is found', () => {
  expect(figuresOf('the last of 1,234 after 5.60 ms')).toEqual(['1234', '5.60']);
  expect(new Set(figuresOf(measurements)).has('123456789')).toBe(false);
});

function figuresOf(text: string): string[] {
  return Array.from(text.matchAll(/\d[\d,]*(?:\.\d+)?/g), ([figure]) => figure.replaceAll(',', ''));
}
