/** Computes the layout of a large graph in a worker, so that the page stays responsive. The module is also the worker's code. */
import type { Size } from '../../parts/use-size.ts';
import type { ShownGraph } from '../shown-graph.ts';
import { type GraphLayout, layoutGraph } from './layout.ts';

interface LayoutRequest {
  graph: ShownGraph;
  frame: Size;
}

if (typeof document === 'undefined')
  addEventListener('message', ({ data: { graph, frame } }: MessageEvent<LayoutRequest>) =>
    postMessage(layoutGraph(graph, frame)),
  );

/** Rejects if the page can't start a worker or the layout fails. */
export function layoutInWorker(request: LayoutRequest, signal: AbortSignal): Promise<GraphLayout> {
  const { promise, resolve, reject } = Promise.withResolvers<GraphLayout>();
  const worker = new Worker(import.meta.url, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<GraphLayout>) => resolve(data));
  worker.addEventListener('error', () => reject(new Error('The layout failed')));
  signal.addEventListener('abort', () => reject(signal.reason));
  worker.postMessage(request);
  return promise.finally(() => worker.terminate());
}
