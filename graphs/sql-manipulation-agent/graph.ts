/** sql-manipulation-agent: from a question about the configured database to a checked answer. */
import { END, START, StateGraph } from '@langchain/langgraph';
import { Conversation } from '../../state/threads/conversation.ts';
import { workflow } from '../authoring/workflow.ts';
import { SqlOptions } from './state.ts';
import { sqlWork } from './work.ts';

const AGENT = 'sql_manipulation_agent';

export default workflow({
  description:
    'Answers questions about a database: writes SQL, checks it, runs it read-only, and explains the rows.',
  options: SqlOptions,
  agents: () => [
    { name: AGENT, description: 'Writes, checks and runs one query, and answers with its rows' },
  ],
  externalServices: ({ sql }) => [sql],
  example: 'Which five stores sold the most bikes in 2024?',
  build({ agentGraph, options, openSql }) {
    const sql = openSql({ maxRows: options.max_rows, querySeconds: options.query_seconds });
    const work = sqlWork({ sqlOf: () => sql, requireApproval: options.require_approval });
    return new StateGraph(Conversation)
      .addNode(...agentGraph(AGENT, work))
      .addEdge(START, AGENT)
      .addEdge(AGENT, END);
  },
});
