/** The work of an agent that asks documents: understand the question, search, answer with citations, check them. */
import { END, START, StateGraph } from '@langchain/langgraph';
import type { Library } from '../../tools/knowledge/library.ts';
import type { StepNode } from '../authoring/agent-graph.ts';
import { answerQuestion } from './answer.ts';
import { condense } from './condense.ts';
import { searchLibrary } from './search.ts';
import { type KnowledgeOptions, KnowledgeWork, type KnowledgeWorkState } from './state.ts';
import { verify } from './verify.ts';

export interface KnowledgeWorkParts {
  library: Library;
  options: KnowledgeOptions;
  /** What preceded the step in the earlier names of its prompt files; default: nothing. */
  prefix?: string;
}

/**
 * What `agentGraph` takes: the steps answer the last message. Their prompt files are
 * `<workflow>.<agent>.condense.jinja`, which is used where there is a conversation before the message, and
 * `<workflow>.<agent>.answer.jinja` with `passages` and `question`.
 */
export function knowledgeWork({ library, options, prefix = '' }: KnowledgeWorkParts) {
  return (step: StepNode) =>
    new StateGraph(KnowledgeWork)
      .addNode('condense', step('condense', condense, `${prefix}condense`))
      .addNode('search', step('search', searchLibrary(library, options)))
      .addNode('answer', step('answer', answerQuestion, `${prefix}answer`))
      .addNode('verify', step('verify', verify))
      .addConditionalEdges(START, fromStart, ['condense', 'search'])
      .addEdge('condense', 'search')
      .addConditionalEdges('search', afterSearch, ['answer', END])
      .addEdge('answer', 'verify')
      .addEdge('verify', END);
}

/** Only a question with a conversation before it can mean more than it says. */
const fromStart = ({ messages, summary }: KnowledgeWorkState) =>
  messages.length > 1 || summary !== '' ? 'condense' : 'search';

const afterSearch = ({ result }: KnowledgeWorkState) => (result ? END : 'answer');
