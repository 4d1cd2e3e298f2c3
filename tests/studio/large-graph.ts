/** A graph of 200 nodes: ten branches that split and join again, loops, and nested subgraphs. */
import { IMPORTS } from './graphs-of-others.ts';

const BRANCHES = 10;
const LENGTH = 16;

/** The number of nodes of the root and of those with subgraphs; `inner` has 4 nodes, one of which has 3 more. */
export const LARGE_GRAPH = `${IMPORTS}
const say = async () => ({});
const chain = (graph, names) => names.reduce((made, name, at) =>
  made.addNode(name, say).addEdge(at === 0 ? START : names[at - 1], name), graph).addEdge(names.at(-1), END);
const deepest = chain(new StateGraph(MessagesAnnotation), ['weigh_evidence', 'resolve_conflict', 'settle']).compile();
const inner = new StateGraph(MessagesAnnotation)
  .addNode('read', say).addNode('compare', say).addNode('judge', deepest).addNode('report', say)
  .addEdge(START, 'read').addConditionalEdges('read', () => 'compare', ['compare', 'judge'])
  .addEdge('compare', 'judge').addEdge('judge', 'report').addEdge('report', END).compile();
const graph = new StateGraph(MessagesAnnotation).addNode('plan', say).addNode('merge_results', say).addEdge(START, 'plan');
const heads = [];
for (let branch = 0; branch < ${BRANCHES}; branch++) {
  let before = 'plan';
  for (let step = 0; step < ${LENGTH}; step++) {
    const name = 'branch_' + branch + '_step_' + step;
    graph.addNode(name, step === 7 ? inner : say);
    if (step === 0) heads.push(name);
    else if (step % 5 === 4) graph.addConditionalEdges(before, () => name, [name, 'merge_results']);
    else graph.addEdge(before, name);
    before = name;
  }
  graph.addEdge(before, 'merge_results');
}
graph.addConditionalEdges('plan', () => heads[0], heads).addEdge('merge_results', END);
export default graph.compile();`;
