/** bike-insights: a document of bike sales is classified, then three agents look at it side by side. */
import { END, HumanMessage, SqlOptions, START, StateGraph, sqlWork, Type, workflow } from 'skein';
import { classify } from './classify.ts';
import { educate } from './educate.ts';
import { EXAMPLE } from './example.ts';
import { insightsOf, readPrompt } from './insights.ts';
import { InsightsState } from './state.ts';
import { tablesOf } from './tables.ts';

const MOST_CHARACTERS = 1_048_576;

export default workflow({
  description:
    'Analyses a JSON document of bike sales, reviews and stock: figures, sentiment, lessons, and what the knowledge base says.',
  options: Type.Pick(SqlOptions, ['max_rows', 'query_seconds']),
  agents: () => [
    { name: 'classification_agent', description: 'Classifies document and reviews, and asks the others' },
    { name: 'education_expert', description: 'Says what the staff can learn from the reviews' },
    { name: 'sql_manipulation_agent', description: "Asks the document's sales, reviews and stock in SQL" },
  ],
  maxPromptLength: MOST_CHARACTERS,
  read: readPrompt,
  example: JSON.stringify(EXAMPLE),
  build({ agent, agentGraph, openTables, options: { max_rows, query_seconds } }) {
    const sqlOf = openTables((tools) => tablesOf(insightsOf(tools).document), {
      maxRows: max_rows,
      querySeconds: query_seconds,
    });
    const askSql = sqlWork({
      sqlOf,
      requireApproval: false,
      moreData: (tools) => ({ figures: insightsOf(tools).figures }),
    });
    const ask = (question: string) => ({ messages: [new HumanMessage(question)] });
    return new StateGraph(InsightsState)
      .addNode('classification_agent', agent('classification_agent', classify(sqlOf)))
      .addNode('education_expert', agent('education_expert', educate))
      .addNode(
        ...agentGraph('sql_manipulation_agent', askSql, ({ questions }: InsightsState) =>
          ask(questions.sql_manipulation_agent),
        ),
      )
      .addEdge(START, 'classification_agent')
      .addEdge('classification_agent', 'education_expert')
      .addEdge('classification_agent', 'sql_manipulation_agent')
      .addEdge('education_expert', END)
      .addEdge('sql_manipulation_agent', END);
  },
});
