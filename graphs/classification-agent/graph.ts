/** classification-agent: one agent classifies the text, then the responder of its category answers. */
import { END, START, StateGraph } from '@langchain/langgraph';
import { workflow } from '../authoring/workflow.ts';
import { classify } from './classify.ts';
import { respond } from './respond.ts';
import { ClassificationOptions, ClassificationState } from './state.ts';

const responderOf = (category: string) => `${category}_responder`;

export default workflow({
  description:
    'Classifies a text by category, topic and sentiment, and routes it to the responder of its category.',
  options: ClassificationOptions,
  agents: ({ categories }) => [
    { name: 'classification_agent', description: 'Finds category, topic, sentiment and confidence' },
    ...categories.map(({ name, description }) => ({
      name: responderOf(name),
      description: `Answers what was classified as ${name}: ${description}`,
    })),
  ],
  example: 'My new bike arrived with a broken pedal, what can I do?',
  build({ agent, options: { categories } }) {
    const responders = categories.map(
      (category) =>
        [responderOf(category.name), agent(responderOf(category.name), respond(category))] as const,
    );
    const graph = new StateGraph(ClassificationState)
      .addNode('classification_agent', agent('classification_agent', classify(categories)))
      .addNode(Object.fromEntries(responders))
      .addEdge(START, 'classification_agent')
      .addConditionalEdges(
        'classification_agent',
        ({ category }) => responderOf(category),
        responders.map(([name]) => name),
      );
    for (const [name] of responders) graph.addEdge(name, END);
    return graph;
  },
});
