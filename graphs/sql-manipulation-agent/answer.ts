/** The last step: a sentence in words, the statement, and its rows as a table. */

import { cutText, hasZonedTimes } from '../../tools/sql/cuts.ts';
import { resultText } from '../../tools/sql/result-text.ts';
import type { AgentTools } from '../authoring/agent/agent.ts';
import type { Step } from '../authoring/agent/agent-graph.ts';
import { chartOf } from './chart.ts';
import { codeBlock, markdownTable } from './markdown.ts';
import type { SqlWorkState } from './state.ts';

const SHOWN_ROWS = 20;

export function answerQuestion(moreData: (tools: AgentTools) => object = () => ({})): Step<SqlWorkState> {
  return async (state, tools) => {
    const { query, rows, checks } = state;
    const content = await contentOf(state, tools);
    const data = {
      ...moreData(tools),
      sql: query?.sql ?? '',
      columns: rows?.columns ?? [],
      rows: rows?.rows ?? [],
      row_count: rows?.rowCount ?? 0,
      truncated: rows?.truncated ?? false,
      cuts: rows?.cuts ?? [],
      tables: query?.tables ?? [],
      checks,
      duration_ms: rows?.durationMs ?? 0,
      chart: rows && chartOf(rows),
    };
    return { result: { content, data } };
  };
}

async function contentOf(state: SqlWorkState, { answer, prompt }: AgentTools): Promise<string> {
  const { query, rows, approval } = state;
  if (!query?.sql) return query?.explanation || 'The tables of this database do not answer this question.';
  const statement = codeBlock(query.sql, 'sql');
  if (approval === 'refused') return `The query was not approved, so it did not run.\n\n${statement}`;
  if (!rows) return statement;
  const system = await prompt({ result: resultText(query.sql, rows) });
  const { content } = await answer(system, state.messages, 'sql_answer');
  return [content.trim(), statement, markdownTable(rows, SHOWN_ROWS), countText(state)].join('\n\n');
}

function countText({ rows }: SqlWorkState): string {
  const { rowCount = 0, truncated = false, cuts = [], columns = [] } = rows ?? {};
  const zone = hasZonedTimes(columns) ? ['Times with a time zone are in UTC.'] : [];
  return [rowsText(rowCount, truncated), cutText(cuts), ...zone].filter(Boolean).join(' ');
}

function rowsText(rowCount: number, truncated: boolean): string {
  const count = `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}`;
  if (truncated) return `The first ${count}; there are more.`;
  return rowCount > SHOWN_ROWS ? `${count}, of which the first ${SHOWN_ROWS} are shown.` : `${count}.`;
}
