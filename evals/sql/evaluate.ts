/** Execution accuracy: for how many questions the written SQL returns the right rows. */
import type { Table } from '../../tools/sql/engine.ts';
import { type Rows, sameResult } from './compare.ts';
import type { Question } from './questions.ts';

export interface Evaluation {
  questions: readonly Question[];
  tables: readonly Table[];
  /** The writer to evaluate. An empty statement means that the tables cannot answer. */
  writeSql: WriteSql;
  /** Runs a statement on the sample data; throws if it fails. */
  rows(sql: string): Promise<Rows>;
}

export type WriteSql = (
  question: Pick<Question, 'question' | 'earlier'>,
  tables: readonly Table[],
) => Promise<{ sql: string }>;

export interface Judged {
  question: Question;
  sql: string;
  right: boolean;
  /** Why it is wrong. */
  reason?: string;
}

export async function evaluate({ questions, tables, writeSql, rows }: Evaluation): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const question of questions) {
    const { sql } = await writeSql({ question: question.question, earlier: question.earlier }, tables);
    const reason = await judge(question, sql, rows);
    judged.push({ question, sql, right: reason === undefined, ...(reason === undefined ? {} : { reason }) });
  }
  return judged;
}

async function judge(question: Question, sql: string, rows: Evaluation['rows']): Promise<string | undefined> {
  const right = [question.sql].flat();
  if (right.includes('') || sql.trim() === '') {
    if (right.includes(''))
      return sql.trim() === '' ? undefined : 'the tables cannot answer this, and SQL was written';
    return 'no SQL was written';
  }
  const rules = { ordered: question.ordered === true, moreColumns: question.columns === 'at_least' };
  try {
    const given = await rows(sql);
    for (const each of right) {
      if (sameResult(await rows(each), given, rules)) return undefined;
    }
    return 'other rows';
  } catch (error) {
    return `it cannot be run: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
  }
}
