/** Minute counters in the memory of a process. */

import { localCounters } from '../../../state/callers/minute-counters.ts';
import { minuteCountersContract } from '../../contracts/minute-counters.ts';

minuteCountersContract(() => {
  let now = 1_000;
  const counters = localCounters(() => now);
  return {
    counters,
    others: counters,
    pass(milliseconds) {
      now += milliseconds;
    },
  };
});
