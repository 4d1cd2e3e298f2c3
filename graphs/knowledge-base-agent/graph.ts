/** knowledge-base-agent: answers from documents: understand the question, search, answer with citations, check them. */
import { Conversation, END, START, StateGraph, workflow } from '../workflow.ts';
import { answerQuestion } from './answer.ts';
import { condense } from './condense.ts';
import { searchLibrary } from './search.ts';
import { KnowledgeOptions, KnowledgeWork, type KnowledgeWorkState } from './state.ts';
import { verify } from './verify.ts';

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
    const library = openLibrary();
    return new StateGraph(Conversation)
      .addNode(
        ...agentGraph(AGENT, (step) =>
          new StateGraph(KnowledgeWork)
            .addNode('condense', step('condense', condense))
            .addNode('search', step('search', searchLibrary(library, options)))
            .addNode('answer', step('answer', answerQuestion))
            .addNode('verify', step('verify', verify))
            .addConditionalEdges(START, fromStart, ['condense', 'search'])
            .addEdge('condense', 'search')
            .addConditionalEdges('search', afterSearch, ['answer', END])
            .addEdge('answer', 'verify')
            .addEdge('verify', END),
        ),
      )
      .addEdge(START, AGENT)
      .addEdge(AGENT, END);
  },
});

/** Only a question with a conversation before it can mean more than it says. */
const fromStart = ({ messages, summary }: KnowledgeWorkState) =>
  messages.length > 1 || summary !== '' ? 'condense' : 'search';

const afterSearch = ({ result }: KnowledgeWorkState) => (result ? END : 'answer');
