/** knowledge-base-agent: answers questions from the configured documents. */
import { END, START, StateGraph } from '@langchain/langgraph';
import { Conversation } from '../../state/threads/conversation.ts';
import { workflow } from '../authoring/workflow.ts';
import { KnowledgeOptions } from './state.ts';
import { knowledgeWork } from './work.ts';

const AGENT = 'knowledge_base_agent';

export default workflow({
  description:
    'Answers questions from documents: searches them by words and by meaning, cites what it found, and checks the citations.',
  options: KnowledgeOptions,
  agents: () => [
    {
      name: AGENT,
      description: 'Searches the knowledge base and answers with citations that it has checked',
    },
  ],
  externalServices: ({ library }) => [library],
  example: 'How long is the warranty on a frame?',
  build({ agentGraph, options, openLibrary }) {
    const work = knowledgeWork({ library: openLibrary(), options, addsWords: true });
    return new StateGraph(Conversation)
      .addNode(...agentGraph(AGENT, work))
      .addEdge(START, AGENT)
      .addEdge(AGENT, END);
  },
});
