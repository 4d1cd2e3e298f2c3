/**
 * The work of an agent that queries a database: write a query, check it, run it, repair it if it fails, and explain the result.
 */
import { END, START, StateGraph } from '@langchain/langgraph';
import type { AgentTools } from '../authoring/agent/agent.ts';
import type { StepNode } from '../authoring/agent/agent-graph.ts';
import { answerQuestion } from './answer.ts';
import { approve } from './approve.ts';
import { checkQuery, readSchema, runQuery, type SqlOf, writeQuery } from './query.ts';
import { SqlWork, type SqlWorkState } from './state.ts';

export interface SqlWorkParts {
  /** The database of the service or of the run. */
  sqlOf: SqlOf;
  /** The prefix of the step in the earlier names of its prompt files. Default: none. */
  prefix?: string;
  /** Asks a person before a query is run. */
  requireApproval: boolean;
  /** Fields of the agent's `data` besides the query and its rows. */
  moreData?(tools: AgentTools): Record<string, unknown>;
}

/**
 * The arguments of `agentGraph`: the steps answer the last message. Their prompt files are
 * `<workflow>.<agent>.write_query.jinja` with `schema`, `dialect` and `refusal`, and `<workflow>.<agent>.answer.jinja` with
 * `result`.
 */
export function sqlWork({ sqlOf, prefix = '', requireApproval, moreData }: SqlWorkParts) {
  return (step: StepNode) =>
    new StateGraph(SqlWork)
      .addNode('read_schema', step('read_schema', readSchema(sqlOf)))
      .addNode('write_query', step('write_query', writeQuery(sqlOf), `${prefix}write_query`))
      .addNode('check_query', step('check_query', checkQuery(sqlOf)))
      .addNode('approve', step('approve', approve))
      .addNode('run_query', step('run_query', runQuery(sqlOf)))
      .addNode('answer', step('answer', answerQuestion(moreData), `${prefix}answer`))
      .addEdge(START, 'read_schema')
      .addEdge('read_schema', 'write_query')
      .addConditionalEdges('write_query', afterWriting, ['check_query', 'answer'])
      .addConditionalEdges('check_query', afterCheck(requireApproval), [
        'write_query',
        'approve',
        'run_query',
      ])
      .addConditionalEdges('approve', afterApproval, ['check_query', 'run_query', 'answer'])
      .addConditionalEdges('run_query', afterRun, ['write_query', 'answer'])
      .addEdge('answer', END);
}

const afterWriting = ({ query }: SqlWorkState) => (query?.sql ? 'check_query' : 'answer');

const afterCheck =
  (asks: boolean) =>
  ({ refusal, approval }: SqlWorkState) => {
    if (refusal) return 'write_query';
    return asks && approval !== 'given' ? 'approve' : 'run_query';
  };

/** A person's statement is checked like a model's. */
const afterApproval = ({ approval, checks }: SqlWorkState) => {
  if (approval === 'refused') return 'answer';
  return checks.length > 0 ? 'run_query' : 'check_query';
};

const afterRun = ({ refusal }: SqlWorkState) => (refusal ? 'write_query' : 'answer');
