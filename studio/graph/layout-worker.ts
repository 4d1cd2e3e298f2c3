/** The layout of a large graph beside the page, which goes on meanwhile: this module starts itself as a worker. */
import type { Size } from '../parts/use-size.ts';
import { type Laid, laidOut } from './layout.ts';
import type { ShownGraph } from './shown-graph.ts';

interface Asked {
  graph: ShownGraph;
  frame: Size;
}

if (typeof document === 'undefined')
  addEventListener('message', ({ data: { graph, frame } }: MessageEvent<Asked>) =>
    postMessage(laidOut(graph, frame)),
  );

/** Rejects where the page may start no worker, or the layout fails. */
export function laidOutBeside(asked: Asked, signal: AbortSignal): Promise<Laid> {
  const { promise, resolve, reject } = Promise.withResolvers<Laid>();
  const worker = new Worker(import.meta.url, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<Laid>) => resolve(data));
  worker.addEventListener('error', () => reject(new Error('The layout failed')));
  signal.addEventListener('abort', () => reject(signal.reason));
  worker.postMessage(asked);
  return promise.finally(() => worker.terminate());
}
