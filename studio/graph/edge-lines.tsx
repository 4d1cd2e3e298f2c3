/** The graph's edges along the points of the layout: dashed where conditional, in colour where a run took them. */
import { ViewportPortal } from '@xyflow/react';
import { memo } from 'react';
import type { GraphState } from './graph-state.ts';
import { type Laid, pathOf } from './layout.ts';
import type { ShownGraph } from './shown-graph.ts';

interface EdgeLinesProps {
  edges: ShownGraph['edges'];
  laid: Laid;
  /** How often a run took each. */
  taken: GraphState['taken'] | undefined;
}

/**
 * One drawing, beneath the nodes. As edges of React Flow, each would be a component of its own with two elements to measure where
 * it ends: with 200 nodes that is most of the work.
 */
export const EdgeLines = memo(function EdgeLines({ edges, laid, taken }: EdgeLinesProps) {
  const lines = edges.map(({ source, target, conditional }) => {
    const id = `${source}→${target}`;
    return { id, source, target, conditional, times: taken?.get(id) ?? 0 };
  });
  // What was taken is drawn over what was not.
  lines.sort((a, b) => Math.sign(a.times) - Math.sign(b.times));
  return (
    <ViewportPortal>
      <svg className="edges" width={laid.width} height={laid.height}>
        <title>Edges</title>
        {lines.map(({ id, source, target, conditional, times }) => (
          <path
            key={id}
            className="edge"
            d={pathOf(laid.edges.get(id) ?? [])}
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

/** Where an edge's line ends; once in the page. */
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
