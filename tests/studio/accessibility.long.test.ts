/** Checks every page with axe, on large, medium and small screens, in light and dark mode. */
import { EVERY_LOOK } from './browser.ts';
import { accessibilityTests } from './every-page.ts';

accessibilityTests(EVERY_LOOK);
