/** The installed headless Chromium. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

/** Undefined if none is installed. */
export const PROGRAM = PLACES.find((place) => existsSync(place));

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: PROGRAM, args: FLAGS });
