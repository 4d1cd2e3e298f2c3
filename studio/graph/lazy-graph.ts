/** The graph panel, loaded when it is first shown. */
import { lazyWithStyles } from '../lazy-with-styles.ts';

export const GraphPanel = lazyWithStyles(() => import('./graph-panel.tsx'));
