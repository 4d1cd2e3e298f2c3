/** SQL conditions of each status of a thread `t`. */

export const BUSY = 'EXISTS (SELECT 1 FROM runs AS r WHERE r.thread = t.key AND r.finished_at IS NULL)';

export const CONDITIONS = {
  idle: `t.failed = 0 AND t.interrupt IS NULL AND NOT ${BUSY}`,
  busy: 't.key IN (SELECT thread FROM runs WHERE finished_at IS NULL)',
  interrupted: `t.interrupt IS NOT NULL AND NOT ${BUSY}`,
  error: `t.failed = 1 AND t.interrupt IS NULL AND NOT ${BUSY}`,
};
