/** Asks a person whether a statement in a tool call may run. */
import { interrupt } from '@langchain/langgraph';
import { type SqlEngine, SqlError } from '../../tools/sql/engine.ts';
import type { RunContext } from '../authoring/run/run-context.ts';
import { APPROVAL_SHAPE, approvalIn } from '../sql-manipulation-agent/approve.ts';

export interface Asking {
  run: RunContext;
  engine: SqlEngine;
  /** The tool's name. */
  tool: string;
  signal: AbortSignal;
}

/** The statement or the person's replacement; undefined if the person rejects it. Throws a SqlError, or interrupts the graph. */
export async function approvedStatement(asking: Asking, sql: string): Promise<string | undefined> {
  return inTurn(asking.run, async () => {
    const { engine, tool, signal } = asking;
    const checked = await engine.check(sql, signal);
    if (!checked.ok) throw new SqlError({ kind: 'refused', reason: checked.reason, rule: checked.rule });
    const question = { sql, explanation: `The model calls ${tool}.`, tables: checked.tables };
    let answer = approvalIn(interrupt(question), sql);
    // Ask again instead of throwing: the model would get an error as the tool's result.
    while (!answer) answer = approvalIn(interrupt({ ...question, expected: APPROVAL_SHAPE }), sql);
    return answer.own ?? (answer.approved ? sql : undefined);
  });
}

const turns = new WeakMap<RunContext, Promise<unknown>>();

/**
 * Runs one call after another, in order. LangGraph matches answers to the interrupts of a node by their order, so checks that
 * finish in a different order would assign an answer to the wrong statement.
 */
function inTurn<T>(run: RunContext, work: () => Promise<T>): Promise<T> {
  const before = turns.get(run) ?? Promise.resolve();
  const mine = before.then(work, work);
  turns.set(run, mine);
  return mine;
}
