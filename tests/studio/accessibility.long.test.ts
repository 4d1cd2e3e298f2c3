/** Every page, judged by axe: wide, narrower and narrow, in light and in dark. */
import { accessibilityTests } from './every-page.ts';

accessibilityTests([
  ...[1440, 1024].flatMap((width) => [
    { scheme: 'light' as const, width },
    { scheme: 'dark' as const, width },
  ]),
  { scheme: 'light', width: 390, height: 800 },
]);
