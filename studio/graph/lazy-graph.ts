/** The graph, whose code is loaded when the first one is shown. */
import { lazy } from 'react';

export const GraphPanel = lazy(() => import('./graph-panel.tsx'));
