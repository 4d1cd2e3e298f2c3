/** One row of `skein validate`: what was checked, the result, and what to do about it. */

export interface Check {
  name: string;
  /** A warning does not stop the service from working; a failure does, or stops a configured part. */
  state: 'ok' | 'warning' | 'failed';
  found: string;
  /** What to do, for a warning or a failure. */
  todo?: string;
}

export const ok = (name: string, found: string): Check => ({ name, state: 'ok', found });

export function warning(name: string, found: string, todo?: string): Check {
  return { name, state: 'warning', found, ...(todo === undefined ? {} : { todo }) };
}

export function failure(name: string, found: string, todo?: string): Check {
  return { name, state: 'failed', found, ...(todo === undefined ? {} : { todo }) };
}
