/** The streams of the programs: every node with its path and number, its text, its tools and its custom output. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { SentEvent } from '../../support/events.ts';
import { PROGRAMS } from './programs.ts';
import { type ServedProject, serveProject } from './project.ts';
import { streamed } from './turns.ts';

let project: ServedProject;
beforeAll(async () => {
  project = await serveProject();
});
afterAll(() => project.close());

const locationOf = ({ data }: SentEvent) => [...data.path, data.agent].join('/');

/** The nodes in the order in which they started; one that asked a person starts again with the answer. */
function started(events: SentEvent[]): string[] {
  const starts = events.filter(({ event, data }) => event === 'agent' && data.state === 'started');
  const byNumber = new Map(
    starts.map((event) => [`${locationOf(event)} ${event.data.execution}`, locationOf(event)]),
  );
  return [...byNumber.values()];
}

/** The numbers of each node's executions that reached this state. */
function executions(events: SentEvent[], state: string): Record<string, number[]> {
  const those = events.filter(({ event, data }) => event === 'agent' && data.state === state);
  const byPlace = Map.groupBy(those, locationOf);
  return Object.fromEntries(
    Array.from(byPlace, ([place, all]) => [
      place,
      [...new Set(all.map(({ data }) => data.execution))].sort(),
    ]),
  );
}

test.each(PROGRAMS.map((program) => [program.name, program] as const))(
  '%s reports its work while it runs',
  async (name, program) => {
    const events = await streamed(project.service, program, `streamed-${name}`);
    expect(started(events)).toEqual(program.path);
    const counts = Map.groupBy(program.path, (place) => place);
    const numbers = Object.fromEntries(
      Array.from(counts, ([place, all]) => [place, all.map((_, index) => index + 1)]),
    );
    expect(executions(events, 'started')).toEqual(numbers);
    expect(executions(events, 'finished')).toEqual(numbers);
    expect(events.filter(({ data }) => data.state === 'failed')).toEqual([]);
    const found: Record<string, string> = {};
    for (const { event, data } of events)
      if (event === 'token') found[data.agent] = (found[data.agent] ?? '') + data.text;
    expect(found).toEqual(program.texts);
    const tools = events.filter(({ event }) => event === 'tool').map(({ data }) => data);
    const finished = tools.filter(({ state }) => state === 'finished');
    expect(finished.map(({ tool, output }) => [tool, output])).toEqual(program.tools ?? []);
    expect(tools.filter(({ state }) => state === 'started')).toHaveLength(finished.length);
    const written = events
      .filter(({ event }) => event === 'custom')
      .map(({ data }) => [data.agent, data.data]);
    expect(written).toEqual(program.custom ?? []);
    const response = events.findLast(({ event }) => event === 'response')?.data;
    expect(
      response.outputs.map(({ agent, content, data }: Record<string, unknown>) => [agent, content, data]),
    ).toEqual(program.outputs);
    expect(events.map(({ event }) => event).slice(-2)).toEqual(['response', 'end']);
  },
);
