/** Finds errors in the events of a run that succeeded. */
import { type SentEvent, tokensOf } from '../support/events.ts';

export function wrongEvents(
  question: string,
  events: SentEvent[],
  result: { outputs: { agent: string; content: string }[] },
): string[] {
  const problems: string[] = [];
  const ids = events.map(({ id }) => id);
  if (ids.some((id, index) => id !== index + 1)) problems.push(`${question} was heard as ${ids}`);
  for (const once of ['run', 'response', 'end'])
    if (events.filter(({ event }) => event === once).length !== 1)
      problems.push(`${question} was heard without one ${once}`);
  for (const { agent, content } of result.outputs)
    if (tokensOf(events, agent) !== content)
      problems.push(
        `${question}: ${agent} was heard to say ${tokensOf(events, agent)}, not ${content}`,
        ...events.map((one) => `  ${JSON.stringify(one).slice(0, 300)}`),
      );
  return problems;
}
