/** Uses a page with the keyboard alone, and fails if the focus is lost. */
import type { Locator, Page } from 'playwright-core';
import { until } from '../server/support/until.ts';

export interface Keyboard {
  /** Waits until the page is loaded, and focuses its first control. */
  begin(): Promise<void>;
  /** Presses Tab until the control has the focus; Shift+Tab with `back`. */
  tabTo(target: Locator, back?: boolean): Promise<void>;
  /** Goes to the control and presses Enter. */
  activate(target: Locator, back?: boolean): Promise<void>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Waits until the control has the focus. */
  isOn(target: Locator): Promise<void>;
  /** Waits until something has the focus. */
  isKept(): Promise<void>;
}

// More than twice as many as any page has controls.
const MAX_TABS = 300;
const PATIENCE_MS = 30_000;

export function keyboardOf(page: Page): Keyboard {
  const hasFocus = (target: Locator) =>
    target.evaluateAll((elements) => {
      const { activeElement: at } = document;
      return elements.some((one) => one === at || one === at?.shadowRoot?.activeElement);
    });
  const focused = () =>
    page.evaluate(() => {
      const { activeElement: at } = document;
      return at === document.body || !at
        ? undefined
        : `${at.tagName.toLowerCase()} "${at.getAttribute('aria-label') ?? at.textContent.slice(0, 60)}"`;
    });
  const drawn = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

  async function isKept(): Promise<void> {
    await drawn();
    await until(async () => (await focused()) !== undefined, PATIENCE_MS).catch(() => {
      throw new Error(`nothing has the focus on ${page.url()}`);
    });
  }
  const keyboard: Keyboard = {
    isKept,
    async begin() {
      await page.getByRole('navigation', { name: 'Studio' }).waitFor();
      await keyboard.press('Tab');
    },
    async isOn(target) {
      await until(() => hasFocus(target), PATIENCE_MS).catch(async () => {
        throw new Error(`the focus is on ${await focused()}, not on ${target}`);
      });
    },
    async tabTo(target, back = false) {
      await target.first().waitFor();
      await isKept();
      const passed: (string | undefined)[] = [];
      while (!(await hasFocus(target))) {
        passed.push(await focused());
        if (passed.length > MAX_TABS) throw new Error(`Tab doesn't reach ${target}:\n${passed.join('\n')}`);
        await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
      }
    },
    async activate(target, back) {
      await keyboard.tabTo(target, back);
      await keyboard.press('Enter');
    },
    async press(key) {
      await page.keyboard.press(key);
      await isKept();
    },
    type: (text) => page.keyboard.insertText(text),
  };
  return keyboard;
}
