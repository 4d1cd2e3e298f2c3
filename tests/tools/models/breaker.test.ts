/** The breaker by itself, with a clock of its own. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { type Breaker, breaker, type Pass } from '../../../tools/models/breaker.ts';

let time: number;
let one: Breaker;

beforeEach(() => {
  time = 1_000;
  one = breaker(() => time);
});

function admitted(): Pass {
  const pass = one.admit();
  if (typeof pass === 'number') throw new Error(`not admitted for ${pass} ms`);
  return pass;
}

function fail(times: number): void {
  for (let count = 0; count < times; count++) admitted().failed();
}

test('it opens after five failed calls in a row', () => {
  fail(4);
  expect([one.state(), typeof one.admit()]).toEqual(['closed', 'object']);
  fail(1);
  expect([one.state(), one.admit()]).toEqual(['open', 5_000]);
  time += 2_000;
  expect(one.admit()).toBe(3_000);
});

test('a success between them starts the count anew, an abandoned call does not', () => {
  fail(4);
  admitted().succeeded();
  fail(4);
  admitted().abandoned();
  expect(one.state()).toBe('closed');
  fail(1);
  expect(one.state()).toBe('open');
});

describe('once it is open', () => {
  let early: Pass;

  beforeEach(() => {
    early = admitted();
    fail(5);
    time += 5_000;
  });

  test('one call goes through as a probe, and no second one beside it', () => {
    expect(one.state()).toBe('open');
    admitted();
    expect([one.state(), one.admit()]).toEqual(['probing', 5_000]);
  });

  test('a probe that succeeds closes it', () => {
    admitted().succeeded();
    expect(one.state()).toBe('closed');
    fail(4);
    expect(one.state()).toBe('closed');
  });

  test('a probe that fails keeps it open for as long again', () => {
    const probe = admitted();
    time += 1_000;
    probe.failed();
    expect([one.state(), one.admit()]).toEqual(['open', 5_000]);
  });

  test('a probe that is abandoned makes room for the next at once', () => {
    admitted().abandoned();
    expect(one.state()).toBe('open');
    admitted();
    expect(one.admit()).toBe(5_000);
  });

  test('a probe that never tells makes room for the next after as long again', () => {
    const lost = admitted();
    time += 5_000;
    const next = admitted();
    expect(one.admit()).toBe(5_000);
    lost.abandoned();
    lost.failed();
    expect([one.state(), one.admit()]).toEqual(['probing', 5_000]);
    next.succeeded();
    expect(one.state()).toBe('closed');
  });

  test('a call from before that fails now neither ends the probe nor prolongs the wait', () => {
    early.failed();
    const probe = admitted();
    early.failed();
    early.abandoned();
    expect([one.state(), one.admit()]).toEqual(['probing', 5_000]);
    probe.succeeded();
    expect(one.state()).toBe('closed');
  });

  test('a call from before that succeeds now closes it: the provider answers', () => {
    early.succeeded();
    expect([one.state(), typeof one.admit()]).toEqual(['closed', 'object']);
  });
});
