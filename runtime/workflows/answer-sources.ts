/** Determines how a workflow's answer is composed of its agents' texts. */
import type { CompiledGraph, DrawableGraph } from '../../graphs/authoring/workflow.ts';
import type { AnswerSources } from '../journal/answer-text.ts';
import { graphWithSubgraphs } from './graph-with-subgraphs.ts';
import type { RunnableWorkflow } from './registered.ts';

const known = new WeakMap<CompiledGraph, Promise<AnswerSources>>();
const knownLive = new WeakMap<CompiledGraph, Promise<AnswerSources>>();

export function answerSourcesOf(workflow: RunnableWorkflow): Promise<AnswerSources> {
  const { graph } = workflow;
  const sources = known.get(graph) ?? sourcesOf(workflow);
  known.set(graph, sources);
  return sources;
}

async function sourcesOf({ graph, adopted, agents }: RunnableWorkflow): Promise<AnswerSources> {
  const [first, ...others] = agents;
  if (adopted || !first) return { kind: 'last', isLast: await lastIn(graph) };
  if (others.length === 0) return { kind: 'only', agent: first.name };
  return { kind: 'blocks', agents: new Set(agents.map(({ name }) => name)) };
}

/**
 * The same for a protocol that can show more than the answer: streams every node after which the graph may end, although
 * another node may produce text afterwards.
 */
export function liveAnswerSourcesOf(workflow: RunnableWorkflow): Promise<AnswerSources> {
  const { graph } = workflow;
  const sources = knownLive.get(graph) ?? liveSourcesOf(workflow);
  knownLive.set(graph, sources);
  return sources;
}

async function liveSourcesOf(workflow: RunnableWorkflow): Promise<AnswerSources> {
  const sources = await answerSourcesOf(workflow);
  if (sources.kind !== 'last') return sources;
  const { edges } = await workflow.graph.getGraphAsync({}).catch(() => ({ edges: [] }));
  const leads = new Set(edges.map(({ source }) => source));
  const ends = new Set(edges.filter(({ target }) => target === END).map(({ source }) => source));
  return { kind: 'last', isLast: ([node = '']) => !leads.has(node) || ends.has(node) };
}

/** Whether no other node can produce text after a node. Always false for a graph that can't be drawn. */
async function lastIn(graph: CompiledGraph): Promise<(path: string[]) => boolean> {
  const drawn = await graphWithSubgraphs(graph).catch(() => undefined);
  if (!drawn) return () => false;
  const last = new Set(textNodesOf(drawn).filter((id) => isLastTextNode(id, drawn)));
  // A graph that a node calls itself isn't part of the drawing, so an enclosing node also counts.
  return (path) => path.some((_, index) => last.has(path.slice(0, index + 1).join(':')));
}

function isLastTextNode(id: string, drawn: DrawableGraph): boolean {
  const reached = reachedFrom(id, drawn);
  return !textNodesOf(drawn).some((other) => other !== id && reached.has(other));
}

/** A node without edges may go to any node, because it can return a `Command`. */
function reachedFrom(id: string, { nodes, edges }: DrawableGraph): Set<string> {
  const reached = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const targets = edges.filter(({ source }) => source === at).map(({ target }) => target);
    for (const target of targets.length > 0 || at === END ? targets : Object.keys(nodes)) {
      if (reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}

const START = '__start__';
const END = '__end__';

// The middleware nodes of LangChain's agents.
const MIDDLEWARE = /\.(?:before|after)_(?:agent|model)$/;

function textNodesOf({ nodes }: DrawableGraph): string[] {
  return Object.entries(nodes)
    .filter(([id, { data }]) => id !== START && id !== END && !MIDDLEWARE.test(id) && !callsTools(data))
    .map(([id]) => id);
}

function callsTools(runnable: unknown): boolean {
  return Array.isArray((runnable as { tools?: unknown } | undefined)?.tools);
}
