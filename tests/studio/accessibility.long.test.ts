/** Every page, judged by axe, wide in dark and narrow in light. */
import { accessibilityTests } from './every-page.ts';

accessibilityTests([{ scheme: 'dark' }, { scheme: 'light', width: 390, height: 800 }]);
