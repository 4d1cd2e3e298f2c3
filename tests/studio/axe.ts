/** What axe finds on a page. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  impact: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** Serious and critical ones, in words; empty where there are none. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Given to the page by the test, which its policy does not stop.
  await page.evaluate(AXE);
  const violations: Finding[] = await page.evaluate(
    async () =>
      (await (window as never as { axe: { run(): Promise<{ violations: never }> } }).axe.run()).violations,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
    );
}
