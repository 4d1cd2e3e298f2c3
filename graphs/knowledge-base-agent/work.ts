/**
 * The work of an agent that searches documents: understand the question, search, answer with citations, and check the
 * citations.
 */
import { END, START, StateGraph } from '@langchain/langgraph';
import type { Library } from '../../tools/knowledge/library.ts';
import type { StepNode } from '../authoring/agent/agent-graph.ts';
import { answerQuestion } from './answer.ts';
import { condense } from './condense.ts';
import { rerank } from './rerank.ts';
import { hasConversation, searchLibrary } from './search.ts';
import { standsAlone } from './stands-alone.ts';
import { type KnowledgeOptions, KnowledgeWork, type KnowledgeWorkState } from './state.ts';
import { verify } from './verify.ts';

export interface KnowledgeWorkParts {
  library: Library;
  options: KnowledgeOptions;
  /**
   * If a first message finds nothing, the model adds words that the documents may use. Needs the prompt file of `condense`.
   * Default: false.
   */
  addsWords?: boolean;
  /** The prefix of the step in the earlier names of its prompt files. Default: none. */
  prefix?: string;
}

/**
 * The arguments of `agentGraph`: the steps answer the last message. Their prompt files are `<workflow>.<agent>.condense.jinja`,
 * used if the message needs the conversation before it, or finds nothing, `<workflow>.<agent>.answer.jinja` with `passages` and
 * `question`, and, if the setting `rerank` is on, `<workflow>.<agent>.rerank.jinja` with the same variables.
 */
export function knowledgeWork({ library, options, addsWords = false, prefix = '' }: KnowledgeWorkParts) {
  return (step: StepNode) =>
    new StateGraph(KnowledgeWork)
      .addNode('condense', step('condense', condense, `${prefix}condense`))
      .addNode('search', step('search', searchLibrary(library, options, addsWords)))
      .addNode('rerank', step('rerank', rerank(options), `${prefix}rerank`))
      .addNode('answer', step('answer', answerQuestion, `${prefix}answer`))
      .addNode('verify', step('verify', verify))
      .addConditionalEdges(START, fromStart, ['condense', 'search'])
      .addEdge('condense', 'search')
      .addConditionalEdges('search', afterSearch(options), ['condense', 'rerank', 'answer', END])
      .addEdge('rerank', 'answer')
      .addEdge('answer', 'verify')
      .addEdge('verify', END);
}

/** Only a question with a conversation before it can be incomplete, and most of those are complete, too. */
const fromStart = (state: KnowledgeWorkState) =>
  hasConversation(state) && !standsAlone(state.messages.at(-1)?.text ?? '') ? 'condense' : 'search';

const afterSearch = (options: KnowledgeOptions) => (state: KnowledgeWorkState) => {
  if (state.result) return END;
  if (state.passages.length === 0) return 'condense';
  return options.rerank ? 'rerank' : 'answer';
};
