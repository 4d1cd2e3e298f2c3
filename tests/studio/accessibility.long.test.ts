/** Every page, judged by axe, wide in light and in dark, and narrow in light. */
import { accessibilityTests } from './every-page.ts';

accessibilityTests([{ scheme: 'light' }, { scheme: 'dark' }, { scheme: 'light', width: 390, height: 800 }]);
