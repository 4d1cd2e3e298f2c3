/** The graph, whose code is loaded when the first one is shown. */
import { later } from '../later.ts';

export const GraphPanel = later(() => import('./graph-panel.tsx'));
