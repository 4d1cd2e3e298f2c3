/** The checkboxes for the breakpoints of a node. */
import { toggleBreakpoint, useBreakpoints, type When } from '../data/threads/breakpoints.ts';

const LABELS: Record<When, string> = { before: 'Stop before', after: 'Stop after' };

export function BreakpointToggles({ workflow, node }: { workflow: string; node: string }) {
  const breakpoints = useBreakpoints(workflow);
  return (
    <fieldset className="row breakpoint-toggles" aria-label={`Breakpoints of ${node}`}>
      {(['before', 'after'] as const).map((when) => (
        <label key={when} className="row small">
          <input
            type="checkbox"
            checked={breakpoints[when].includes(node)}
            onChange={() => toggleBreakpoint(workflow, when, node)}
          />
          {LABELS[when]}
        </label>
      ))}
    </fieldset>
  );
}
