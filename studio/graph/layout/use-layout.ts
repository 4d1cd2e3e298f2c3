/** The layout of the visible graph: computed synchronously, or in a worker if the graph is large. */
import { startTransition, useEffect, useMemo, useState } from 'react';
import type { Size } from '../../parts/use-size.ts';
import type { ShownGraph } from '../shown-graph.ts';
import { type GraphLayout, layoutGraph } from './layout.ts';

// Up to this size, the layout takes less than a frame.
const MAX_SYNC_NODES = 40;

/** Undefined until it is computed. While the layout of a changed large graph is computed, returns the previous one. */
export function useLayout(graph: ShownGraph | undefined, size: Size | undefined): GraphLayout | undefined {
  const isLarge = graph !== undefined && graph.nodes.length > MAX_SYNC_NODES;
  const sync = useMemo(
    () => (graph && size && !isLarge ? layoutGraph(graph, size) : undefined),
    [graph, size, isLarge],
  );
  const [async, setAsync] = useState<GraphLayout>();
  useEffect(() => {
    if (!graph || !size || !isLarge) return;
    const controller = new AbortController();
    void layOut({ graph, frame: size }, controller.signal).then((layout) => {
      // As a transition, drawing a large graph doesn't block the page.
      if (!controller.signal.aborted) startTransition(() => setAsync(layout));
    });
    return () => controller.abort();
  }, [graph, size, isLarge]);
  return isLarge ? async : sync;
}

async function layOut(request: { graph: ShownGraph; frame: Size }, signal: AbortSignal) {
  try {
    const { layoutInWorker } = await import('./layout-worker.ts');
    return await layoutInWorker(request, signal);
  } catch {
    return signal.aborted ? undefined : layoutGraph(request.graph, request.frame);
  }
}
