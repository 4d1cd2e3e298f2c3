/** Every page, judged by axe, on large, medium and small screens, in light and in dark. */
import { EVERY_LOOK } from './browser.ts';
import { accessibilityTests } from './every-page.ts';

accessibilityTests(EVERY_LOOK);
