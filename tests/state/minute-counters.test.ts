/** Minute counters in the memory of a process. */

import { ownCounters } from '../../state/minute-counters.ts';
import { minuteCountersContract } from '../contracts/minute-counters.ts';

minuteCountersContract(() => {
  let now = 1_000;
  const counters = ownCounters(() => now);
  return {
    counters,
    others: counters,
    pass(milliseconds) {
      now += milliseconds;
    },
  };
});
