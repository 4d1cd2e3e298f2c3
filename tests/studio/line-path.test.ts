/** Lines of a chart over time. */
import { expect, test } from 'bun:test';
import { linePath } from '../../studio/home/line-path.ts';

const SCALE = { step: 10, height: 104, most: 50 };

test('a line goes through the middle of each column', () => {
  expect(linePath([0, 50, 25], SCALE)).toBe('M5.0 102.0L15.0 2.0L25.0 52.0');
});

test('a missing value interrupts the line, and a single value is a short line', () => {
  expect(linePath([null, 50, null, 0, 0], SCALE)).toBe('M12.0 2.0H18.0M35.0 102.0L45.0 102.0');
});

test('without values nothing is drawn, and zeros are at the bottom', () => {
  expect(linePath([null], SCALE)).toBe('');
  expect(linePath([0, 0], { ...SCALE, most: 0 })).toBe('M5.0 102.0L15.0 102.0');
});
