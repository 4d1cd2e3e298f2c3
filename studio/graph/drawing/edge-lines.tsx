/** The edges of the graph: dashed if conditional, in colour if a run took them. */
import { ViewportPortal } from '@xyflow/react';
import { memo } from 'react';
import type { GraphState } from '../graph-state.ts';
import { type GraphLayout, pathOf } from '../layout/layout.ts';
import type { ShownGraph } from '../shown-graph.ts';

interface EdgeLinesProps {
  edges: ShownGraph['edges'];
  layout: GraphLayout;
  /** How often a run took each edge. */
  taken: GraphState['taken'] | undefined;
}

/**
 * A single SVG below the nodes. Edges of React Flow are components with two measured elements each, which takes most of the time
 * to draw 200 nodes.
 */
export const EdgeLines = memo(function EdgeLines({ edges, layout, taken }: EdgeLinesProps) {
  const lines = edges.map(({ source, target, conditional }) => {
    const id = `${source}→${target}`;
    return { id, source, target, conditional, times: taken?.get(id) ?? 0 };
  });
  // Taken edges are drawn on top.
  lines.sort((a, b) => Math.sign(a.times) - Math.sign(b.times));
  return (
    <ViewportPortal>
      <svg className="edges" width={layout.width} height={layout.height}>
        <title>Edges</title>
        {lines.map(({ id, source, target, conditional, times }) => (
          <path
            key={id}
            className="edge"
            d={pathOf(layout.edges.get(id) ?? [])}
            data-conditional={conditional}
            data-edge={id}
            data-taken={times > 0}
            markerEnd="url(#skein-arrow)"
          >
            <title>{`${source} → ${target}${times > 0 ? `, taken ×${times}` : ''}`}</title>
          </path>
        ))}
      </svg>
    </ViewportPortal>
  );
});

/** The arrow head of all edges; included once in the page. */
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
