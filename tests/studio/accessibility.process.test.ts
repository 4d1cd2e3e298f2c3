/** Checks every page with axe, on a small screen in dark mode. */
import { accessibilityTests } from './every-page.ts';

accessibilityTests([{ scheme: 'dark', width: 390, height: 800 }]);
