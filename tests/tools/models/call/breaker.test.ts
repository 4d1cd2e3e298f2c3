/** The breaker alone, with its own clock. */
import { beforeEach, describe, expect, test } from 'bun:test';
import { type Breaker, breaker, type Pass } from '../../../../tools/models/call/breaker.ts';

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

test('a success resets the count, and an abandoned call does not', () => {
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

  test('one call passes as a probe, and no second one at the same time', () => {
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

  test('a failed probe keeps it open for the same time again', () => {
    const probe = admitted();
    time += 1_000;
    probe.failed();
    expect([one.state(), one.admit()]).toEqual(['open', 5_000]);
  });

  test('an abandoned probe allows the next one immediately', () => {
    admitted().abandoned();
    expect(one.state()).toBe('open');
    admitted();
    expect(one.admit()).toBe(5_000);
  });

  test('a probe without a result allows the next one after the same time', () => {
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

  test('an earlier call that fails now neither ends the probe nor extends the wait', () => {
    early.failed();
    const probe = admitted();
    early.failed();
    early.abandoned();
    expect([one.state(), one.admit()]).toEqual(['probing', 5_000]);
    probe.succeeded();
    expect(one.state()).toBe('closed');
  });

  test('an earlier call that succeeds now closes it', () => {
    early.succeeded();
    expect([one.state(), typeof one.admit()]).toEqual(['closed', 'object']);
  });
});
