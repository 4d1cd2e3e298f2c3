/** Every page, judged by axe, narrow and in dark. */
import { accessibilityTests } from './every-page.ts';

accessibilityTests([{ scheme: 'dark', width: 390, height: 800 }]);
