/** Cosines of unit vectors stay within their bounds despite rounding. */
import { expect, test } from 'bun:test';
import { bestProduct, unitVector } from '../../../state/items/vectors.ts';

test('the score of a vector with itself is at most 1, and with its opposite at least -1', () => {
  for (let n = 1; n <= 500; n++) {
    const vector = unitVector(Array.from({ length: 1 + (n % 50) }, (_, at) => Math.sin(n * (at + 1))));
    const opposite = vector.map((value) => -value);
    const [same, other] = [bestProduct(vector, vector), bestProduct(opposite, vector)];
    expect(same).toBeGreaterThan(0.999_99);
    expect(same).toBeLessThanOrEqual(1);
    expect(other).toBeGreaterThanOrEqual(-1);
    expect(other).toBeLessThan(-0.999_99);
  }
});

test('a zero vector has similarity 0, and an item without vectors has no score', () => {
  const zeros = unitVector([0, 0]);
  expect([...zeros]).toEqual([0, 0]);
  expect(bestProduct(zeros, unitVector([3, 4]))).toBe(0);
  expect(bestProduct(new Float32Array(), unitVector([3, 4]))).toBeUndefined();
  expect(unitVector([3, 4])).toEqual(Float32Array.from([0.6, 0.8]));
});
