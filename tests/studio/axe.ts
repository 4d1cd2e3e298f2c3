/** What axe finds on a page. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** All of them, and targets that are too small, in words; empty where there are none. */
export async function findings(page: Page): Promise<string[]> {
  // Given to the page by the test, which its policy does not stop.
  await page.evaluate(AXE);
  const violations: Finding[] = await page.evaluate(
    async () =>
      (
        await (window as never as { axe: { run(options: object): Promise<{ violations: never }> } }).axe.run({
          rules: { 'target-size': { enabled: true } },
        })
      ).violations,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}
