/** The accessibility problems that axe finds on a page. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Describes all violations, and click targets that are too small. Empty if there are none. */
export async function findings(page: Page): Promise<string[]> {
  // The test injects axe, because the page's content security policy doesn't block that.
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
