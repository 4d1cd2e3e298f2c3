/** Breakpoints: the nodes at which turns of a workflow stop. Kept in session storage. */
import { useMemo, useSyncExternalStore } from 'react';

export interface Breakpoints {
  before: string[];
  after: string[];
}

export type When = keyof Breakpoints;

const CHANGED = 'skein:breakpoints';

const keyOf = (workflow: string) => `skein.breakpoints.${workflow}`;

export function useBreakpoints(workflow: string): Breakpoints {
  const text = useSyncExternalStore(subscribe, () => sessionStorage.getItem(keyOf(workflow)));
  return useMemo(() => breakpointsIn(text), [text]);
}

export function toggleBreakpoint(workflow: string, when: When, node: string): void {
  const now = breakpointsIn(sessionStorage.getItem(keyOf(workflow)));
  const nodes = [...new Set(now[when]).symmetricDifference(new Set([node]))];
  sessionStorage.setItem(keyOf(workflow), JSON.stringify({ ...now, [when]: nodes }));
  dispatchEvent(new Event(CHANGED));
}

/** The breakpoints of a node; `inside` if nodes in its subgraph have some. */
export function breakpointsAt({ before, after }: Breakpoints, node: string): (When | 'inside')[] {
  const inside = [...before, ...after].some((one) => one.startsWith(`${node}:`));
  return [
    ...(before.includes(node) ? (['before'] as const) : []),
    ...(after.includes(node) ? (['after'] as const) : []),
    ...(inside ? (['inside'] as const) : []),
  ];
}

/** The parameters of a turn; empty if the workflow never had a breakpoint in this tab. */
export function interruptOptions(workflow: string): {
  interrupt_before?: string[];
  interrupt_after?: string[];
} {
  const text = sessionStorage.getItem(keyOf(workflow));
  if (text === null) return {};
  const { before, after } = breakpointsIn(text);
  return { interrupt_before: before, interrupt_after: after };
}

function breakpointsIn(text: string | null): Breakpoints {
  return text === null ? { before: [], after: [] } : (JSON.parse(text) as Breakpoints);
}

function subscribe(changed: () => void): () => void {
  addEventListener(CHANGED, changed);
  return () => removeEventListener(CHANGED, changed);
}
