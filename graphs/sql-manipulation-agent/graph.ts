/** sql-manipulation-agent: from a question to a checked answer: write a query, check it, run it, repair it, say what it gave. */
import { Conversation, END, START, StateGraph, workflow } from '../workflow.ts';
import { answerQuestion } from './answer.ts';
import { approve } from './approve.ts';
import { checkQuery, readSchema, runQuery, writeQuery } from './query.ts';
import { SqlOptions, SqlWork, type SqlWorkState } from './state.ts';

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
    const asks = options.require_approval;
    return new StateGraph(Conversation)
      .addNode(
        ...agentGraph(AGENT, (step) =>
          new StateGraph(SqlWork)
            .addNode('read_schema', step('read_schema', readSchema(sql)))
            .addNode('write_query', step('write_query', writeQuery(sql)))
            .addNode('check_query', step('check_query', checkQuery(sql)))
            .addNode('approve', step('approve', approve))
            .addNode('run_query', step('run_query', runQuery(sql)))
            .addNode('answer', step('answer', answerQuestion))
            .addEdge(START, 'read_schema')
            .addEdge('read_schema', 'write_query')
            .addConditionalEdges('write_query', afterWriting, ['check_query', 'answer'])
            .addConditionalEdges('check_query', afterCheck(asks), ['write_query', 'approve', 'run_query'])
            .addConditionalEdges('approve', afterApproval, ['check_query', 'run_query', 'answer'])
            .addConditionalEdges('run_query', afterRun, ['write_query', 'answer'])
            .addEdge('answer', END),
        ),
      )
      .addEdge(START, AGENT)
      .addEdge(AGENT, END);
  },
});

const afterWriting = ({ query }: SqlWorkState) => (query?.sql ? 'check_query' : 'answer');

const afterCheck =
  (asks: boolean) =>
  ({ refusal, approval }: SqlWorkState) => {
    if (refusal) return 'write_query';
    return asks && approval !== 'given' ? 'approve' : 'run_query';
  };

/** What a person wrote instead is checked like what a model wrote. */
const afterApproval = ({ approval, checks }: SqlWorkState) => {
  if (approval === 'refused') return 'answer';
  return checks.length > 0 ? 'run_query' : 'check_query';
};

const afterRun = ({ refusal }: SqlWorkState) => (refusal ? 'write_query' : 'answer');
