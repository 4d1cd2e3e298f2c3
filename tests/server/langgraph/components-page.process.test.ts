/** A component of `ui` in langgraph.json in a real browser, on a page of another origin. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { studioTests } from '../../studio/browser.ts';
import { testService } from '../../support/service.ts';
import { pageServer } from '../support/page-server.ts';

const WEATHER = `import './weather.css';
import { useState } from 'react';
export default {
  'weather-component': ({ city }: { city: string }) => {
    const [word, setWord] = useState('Weather');
    return <button className="weather" onClick={() => setWord('Sun')}>{word} for {city}</button>;
  },
};`;

const server = await pageServer(join(import.meta.dir, 'components-page.js'));
afterAll(() => server.close());

studioTests('a component in a page', (studio) => {
  test("a component is shown with its styles, uses the page's React, and gets the data of the graph", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-ui-'));
    const files = {
      'ui/weather.tsx': WEATHER,
      'ui/weather.css': '.weather { color: rgb(1, 2, 3) }',
      'langgraph.json': JSON.stringify({ graphs: {}, ui: { 'agent-alias': './ui/weather.tsx' } }),
    };
    for (const [name, text] of Object.entries(files)) await Bun.write(join(folder, name), text);
    const config = `web_configuration:\n  cors_origins: ["${server.origin}"]\n`;
    const service = await testService({ folder, config });
    try {
      const page = await studio.open(`${server.origin}/?api=${service.url}`);
      // Playwright also searches shadow roots.
      const button = page.locator('button.weather');
      await button.waitFor();
      expect(await button.textContent()).toBe('Weather for Oslo');
      const inside = 'document.querySelector("[id^=child-shadow]").shadowRoot.querySelector("button")';
      // A script doesn't wait for its style sheet.
      await page.waitForFunction(`getComputedStyle(${inside}).color === 'rgb(1, 2, 3)'`);
      await button.click();
      await page.getByText('Sun for Oslo').waitFor();
    } finally {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
