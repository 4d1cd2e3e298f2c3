/** Where the nodes of the shown graph are: at once for one of usual size, later for a large one. */
import { startTransition, useEffect, useMemo, useState } from 'react';
import type { Size } from '../parts/use-size.ts';
import { type Laid, laidOut } from './layout.ts';
import type { ShownGraph } from './shown-graph.ts';

// Their layout takes less than a picture's time.
const MOST_AT_ONCE = 40;

/** Undefined until it is known; of a large graph that changes, the one before it until then. */
export function useLayout(graph: ShownGraph | undefined, size: Size | undefined): Laid | undefined {
  const isLarge = graph !== undefined && graph.nodes.length > MOST_AT_ONCE;
  const atOnce = useMemo(
    () => (graph && size && !isLarge ? laidOut(graph, size) : undefined),
    [graph, size, isLarge],
  );
  const [later, setLater] = useState<Laid>();
  useEffect(() => {
    if (!graph || !size || !isLarge) return;
    const leaving = new AbortController();
    void layOut({ graph, frame: size }, leaving.signal).then((laid) => {
      // A large graph is drawn piece by piece, so that the page goes on.
      if (!leaving.signal.aborted) startTransition(() => setLater(laid));
    });
    return () => leaving.abort();
  }, [graph, size, isLarge]);
  return isLarge ? later : atOnce;
}

async function layOut(asked: { graph: ShownGraph; frame: Size }, signal: AbortSignal) {
  try {
    const { laidOutBeside } = await import('./layout-worker.ts');
    return await laidOutBeside(asked, signal);
  } catch {
    return signal.aborted ? undefined : laidOut(asked.graph, asked.frame);
  }
}
