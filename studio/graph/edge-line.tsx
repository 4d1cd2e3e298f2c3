/** An edge, drawn through the points of the layout. Conditional edges are dashed, and edges that a run took are coloured. */
import type { Edge, EdgeProps } from '@xyflow/react';

export interface EdgeData extends Record<string, unknown> {
  path: string;
  conditional: boolean;
  /** The number of times that the run took the edge. */
  taken: number;
}

export function EdgeLine({ source, target, data }: EdgeProps<Edge<EdgeData, 'line'>>) {
  if (!data) return null;
  const { path, conditional, taken } = data;
  return (
    <path
      className="edge"
      d={path}
      data-conditional={conditional}
      data-edge={`${source}→${target}`}
      data-taken={taken > 0}
      markerEnd="url(#skein-arrow)"
    >
      <title>{`${source} → ${target}${taken > 0 ? `, taken ×${taken}` : ''}`}</title>
    </path>
  );
}

/** The arrowhead marker of all edges, rendered once in the page. */
export function ArrowHead() {
  return (
    <svg className="arrow" aria-hidden="true">
      <defs>
        <marker
          id="skein-arrow"
          {...{ viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: 'auto' }}
        >
          <path d="M0 0 8 4 0 8z" fill="context-stroke" />
        </marker>
      </defs>
    </svg>
  );
}
