/** Every page, judged by axe, wide in light and narrow in dark. */
import { accessibilityTests } from './every-page.ts';

accessibilityTests([{ scheme: 'light' }, { scheme: 'dark', width: 390, height: 800 }]);
