/** bike-insights: classifies a document of bike sales, then three agents analyze it in parallel. */
import {
  type AgentTools,
  END,
  HumanMessage,
  KnowledgeOptions,
  knowledgeWork,
  SqlOptions,
  START,
  StateGraph,
  sqlWork,
  Type,
  workflow,
} from 'skein';
import { classify } from './classify.ts';
import { educate } from './educate.ts';
import { EXAMPLE } from './example.ts';
import { insightsOf, readPrompt } from './insights.ts';
import { InsightsState, type Questions } from './state.ts';
import { MAX_ROWS, tablesOf } from './tables.ts';

const MAX_CHARACTERS = 1_048_576;

export default workflow({
  description:
    'Analyses a JSON document of bike sales, reviews and stock: figures, sentiment, lessons, and what the knowledge base says.',
  options: Type.Composite([Type.Pick(SqlOptions, ['max_rows', 'query_seconds']), KnowledgeOptions]),
  agents: () => [
    { name: 'classification_agent', description: 'Classifies document and reviews, and asks the others' },
    { name: 'education_expert', description: 'Says what the staff can learn from the reviews' },
    {
      name: 'knowledge_base_agent',
      description: "Looks up in the company's documents what the sales call for",
    },
    { name: 'sql_manipulation_agent', description: "Asks the document's sales, reviews and stock in SQL" },
  ],
  externalServices: ({ library }) => [library],
  maxPromptLength: MAX_CHARACTERS,
  read: readPrompt,
  example: JSON.stringify(EXAMPLE),
  build({ agent, agentGraph, openLibrary, openTables, options }) {
    const { max_rows: maxRows, query_seconds: querySeconds } = options;
    const sqlOf = openTables((tools) => tablesOf(insightsOf(tools).document), { maxRows, querySeconds });
    // `prefix` finds prompt files under their earlier names: bike-insights.sql_answer.jinja.
    const askSql = sqlWork({ sqlOf, prefix: 'sql_', requireApproval: false, moreData: dataOf });
    const askDocuments = knowledgeWork({ library: openLibrary(), prefix: 'knowledge_', options });
    return new StateGraph(InsightsState)
      .addNode('classification_agent', agent('classification_agent', classify(sqlOf)))
      .addNode('education_expert', agent('education_expert', educate))
      .addNode(...agentGraph('knowledge_base_agent', askDocuments, questionFor('knowledge_base_agent')))
      .addNode(...agentGraph('sql_manipulation_agent', askSql, questionFor('sql_manipulation_agent')))
      .addEdge(START, 'classification_agent')
      .addEdge('classification_agent', 'education_expert')
      .addEdge('classification_agent', 'knowledge_base_agent')
      .addEdge('classification_agent', 'sql_manipulation_agent')
      .addEdge('education_expert', END)
      .addEdge('knowledge_base_agent', END)
      .addEdge('sql_manipulation_agent', END);
  },
});

/** An agent starts with its question from the classification, without the thread's messages. */
const questionFor =
  (agent: keyof Questions) =>
  ({ questions }: InsightsState) => ({ messages: [new HumanMessage(questions[agent])], summary: '' });

/** Added to the query and its rows: the document's figures, and whether its tables are complete. */
function dataOf(tools: AgentTools) {
  const { figures } = insightsOf(tools);
  const { stores, sales, stock_entries } = figures.totals;
  return { figures, tables_complete: Math.max(stores, sales, stock_entries) <= MAX_ROWS };
}
