/** The history of a run, printed with its violations. */
import type { Chaos, Claim, StoredRun } from './chaos.ts';

/** Omits claims long before or after its calls. */
const AROUND_MS = 5_000;

export function timelineOf(
  { answers, provider, said }: Chaos,
  { run_id, question }: Pick<StoredRun, 'run_id' | 'question'>,
  claims: Claim[],
): string[] {
  const calls = answers.calls.filter((call) => call.question === question);
  const times = calls.map(({ at }) => at);
  const [first, last] = [Math.min(...times) - AROUND_MS, Math.max(...times) + AROUND_MS];
  const all = [
    ...claims
      .filter(({ at }) => at > first && at < last)
      .map(({ at, server }) => ({ at, text: `claim of ${server}` })),
    ...calls.map(({ at, index, agent, number }) => ({
      at,
      text: `${agent}#${number} for ${provider.headers[index]?.get('authorization')}`,
    })),
  ].toSorted((a, b) => a.at - b.at);
  return [...all.map(({ at, text }) => `  ${at} ${text}`), ...said(run_id).map((line) => `  ${line}`)];
}
