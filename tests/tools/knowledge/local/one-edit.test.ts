/** Which words are one spelling mistake apart. */
import { expect, test } from 'bun:test';
import { isWithinOneEdit } from '../../../../tools/knowledge/local/one-edit.ts';

const NEAR = [
  ['sealant', 'sealant'],
  ['sealent', 'sealant'],
  ['hemlet', 'helmet'],
  ['refil', 'refill'],
  ['chainn', 'chain'],
  ['hcain', 'chain'],
  ['', 'a'],
  ['ab', 'ba'],
] as const;

const FAR = [
  ['brake', 'breaks'],
  ['chain', 'chairs'],
  ['saddle', 'sad'],
  ['abcd', 'cdab'],
  ['abcd', 'badc'],
  ['', 'ab'],
] as const;

test.each(NEAR)('%p and %p are', (one, other) => {
  expect([isWithinOneEdit(one, other), isWithinOneEdit(other, one)]).toEqual([true, true]);
});

test.each(FAR)('%p and %p are not', (one, other) => {
  expect([isWithinOneEdit(one, other), isWithinOneEdit(other, one)]).toEqual([false, false]);
});
