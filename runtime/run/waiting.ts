/** What a graph that has come to a stop waits for: answers of a person, or to go on. */
import type { CompiledGraph, GraphState } from '../../graphs/authoring/workflow.ts';
import type { Interrupt, Stop } from '../../state/threads.ts';
import type { Execution } from './execution.ts';
import type { EndedGraph } from './invoke.ts';

export function askedBy({ journal, run }: Execution, { interrupts }: EndedGraph): Interrupt[] {
  return interrupts.map(({ id = run.runId, value }) => {
    const { agent = '', path = [] } = journal.asking(id) ?? {};
    return { interruptId: id, value: asJson(value), agent, path };
  });
}

/** `finished`: the nodes of the graph's last step. */
export async function stopsAt(
  graph: CompiledGraph,
  { run, thread }: Execution,
  finished: string[],
): Promise<Stop[]> {
  const after = [graph.interruptAfter ?? [], run.request.interruptAfter ?? []];
  const isAsked = (name: string) => after.some((names) => names === '*' || names.includes(name));
  const behind = finished.filter(isAsked);
  if (behind.length > 0) return behind.map((agent) => ({ agent, when: 'after', path: [] }));
  const config = { configurable: { thread_id: thread.threadId } };
  return ahead(await graph.getState(config, { subgraphs: true }), []);
}

/** The nodes that would run next, the innermost ones. */
function ahead({ next, tasks }: GraphState, path: string[]): Stop[] {
  return next.flatMap((agent) => {
    const inner = tasks.find(({ name }) => name === agent)?.state;
    const within = inner && 'next' in inner ? ahead(inner, [...path, agent]) : [];
    return within.length > 0 ? within : [{ agent, when: 'before' as const, path }];
  });
}

/** As it is stored and shown; what JSON has no form for is null. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}
