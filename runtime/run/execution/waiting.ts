/** Describes what an interrupted graph waits for: a person's answers, or a request to continue. */

import { asJson } from '../../../graphs/adoption/message-json.ts';
import type { LastStep } from '../../../graphs/adoption/stream/follow-graph.ts';
import type { CompiledGraph, GraphState } from '../../../graphs/authoring/workflow.ts';
import type { Interrupt, Stop } from '../../../state/threads/threads.ts';
import type { Execution } from './execution.ts';
import type { EndedGraph } from './invoke.ts';

interface Asking {
  journal: Pick<Execution['journal'], 'asking'>;
  run: Pick<Execution['run'], 'runId'>;
}

export function interruptsOf(
  { journal, run }: Asking,
  { interrupts }: Pick<EndedGraph, 'interrupts'>,
): Interrupt[] {
  return interrupts.map(({ id = run.runId, value }) => {
    const { agent = '', path = [] } = journal.asking(id) ?? {};
    return { interruptId: id, value: asJson(value) ?? null, agent, path };
  });
}

export async function stopsAt(
  graph: CompiledGraph,
  { run, thread }: Execution,
  lastStep: LastStep,
): Promise<Stop[]> {
  const config = { configurable: { thread_id: thread.threadId } };
  const after = [graph.interruptAfter ?? [], run.request.interruptAfter ?? []];
  return stopsIn(
    { graph, after, state: await graph.getState(config, { subgraphs: true }), path: [] },
    lastStep,
  );
}

interface Stopped {
  graph: Pick<CompiledGraph, 'getSubgraphsAsync'>;
  /** The nodes after which the graph stops, as a list from the graph and one from the run. */
  after: (string[] | '*')[];
  state: GraphState;
  path: string[];
}

/** The nodes after which the graph stopped, otherwise those that would run next; in the innermost subgraphs. */
async function stopsIn({ graph, after, state, path }: Stopped, lastStep: LastStep): Promise<Stop[]> {
  const isAsked = (name: string) => after.some((names) => names === '*' || names.includes(name));
  const behind = lastStep(path).filter(isAsked);
  if (behind.length > 0) return behind.map((agent) => ({ agent, when: 'after', path }));
  const inside = new Map(await Array.fromAsync(graph.getSubgraphsAsync()));
  const stops = state.next.map(async (agent): Promise<Stop[]> => {
    const inner = state.tasks.find(({ name }) => name === agent)?.state;
    const own = inside.get(agent);
    const here: Stop[] = [{ agent, when: 'before', path }];
    if (!own || !inner || !('next' in inner)) return here;
    const { interruptAfter = [] } = own as Pick<CompiledGraph, 'interruptAfter'>;
    const stopped = { graph: own, after: [interruptAfter], state: inner, path: [...path, agent] };
    const within = await stopsIn(stopped, lastStep);
    return within.length > 0 ? within : here;
  });
  return (await Promise.all(stops)).flat();
}
