/** Converts rows of threads, runs and messages to the types of the `state/` interfaces. */
import { type ErrorBody, errorBody, SkeinError } from '../errors.ts';
import type { Message } from '../state.ts';
import { type AgentReport, emptyRecord } from '../threads/run-trace.ts';
import type { Run, RunStatistics, RunStatus, RunUsage, TurnResult } from '../threads/runs.ts';
import type { PendingInterrupt, Thread } from '../threads/threads.ts';
import { costOfAll, modelsIn } from '../usage/model-usage.ts';

export interface ThreadRow {
  key: number;
  owner: string;
  thread_id: string;
  title: string;
  workflow: string;
  head: string | null;
  interrupt: string | null;
  memory: string | null;
  message_count: number;
  keeps_all: number;
  created_at: number;
  updated_at: number;
}

export interface RunRow {
  run_id: string;
  thread: number;
  thread_id: string;
  owner: string;
  message_id: string;
  workflow: string;
  status: RunStatus;
  request: string;
  attempt: number;
  lease: number;
  created_at: number;
  not_before: number | null;
  started_at: number | null;
  finished_at: number | null;
  input_tokens: number;
  output_tokens: number;
  models: string | null;
  agents: string | null;
  result: string | null;
  error: string | null;
}

export interface MessageRow {
  message_id: string;
  thread: number;
  thread_id: string;
  run_id: string;
  role: 'user' | 'assistant';
  content: string;
  created_at: number;
}

/**
 * The value of the column `memory` if the size is unknown. The number of messages is so high that the next turn counts them.
 */
export const UNKNOWN_MEMORY = JSON.stringify({ messages: Number.MAX_SAFE_INTEGER, tokens: 0, summary: '' });

/** Fixed width, so that the checkpoints of new threads sort last and are appended to their table. */
export function keyOf(key: number): string {
  return String(key).padStart(12, '0');
}

export function toThread(row: ThreadRow): Thread;
export function toThread(row: ThreadRow | null): Thread | undefined;
export function toThread(row: ThreadRow | null): Thread | undefined {
  if (!row) return undefined;
  return {
    key: keyOf(row.key),
    owner: row.owner,
    threadId: row.thread_id,
    title: row.title,
    workflow: row.workflow,
    head: row.head,
    interrupt: row.interrupt === null ? null : toInterrupt(JSON.parse(row.interrupt)),
    memory: row.memory === null ? { messages: 0, tokens: 0, summary: '' } : JSON.parse(row.memory),
    messageCount: row.message_count,
    keepsAll: row.keeps_all === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Leaves out the fields that only the driver needs to restore the interrupt. */
function toInterrupt(stored: PendingInterrupt & EarlierInterrupt): PendingInterrupt {
  const { runId, failedAnswer, headBefore, memoryBefore } = stored;
  const own = { runId, ...(failedAnswer && { failedAnswer }), headBefore, memoryBefore };
  return { ...interruptsOf(stored), ...own };
}

/** Earlier versions stored a single interrupt. */
interface EarlierInterrupt {
  interruptId?: string;
  value?: unknown;
}

function interruptsOf({
  interrupts,
  stoppedAt = [],
  interruptId,
  value,
}: Partial<PendingInterrupt> & EarlierInterrupt): Pick<PendingInterrupt, 'interrupts' | 'stoppedAt'> {
  const one = interruptId === undefined ? [] : [{ interruptId, value, agent: '', path: [] }];
  return { interrupts: interrupts ?? one, stoppedAt };
}

function toResult({
  interrupt,
  ...result
}: TurnResult & { interrupt?: EarlierInterrupt | null }): TurnResult {
  return { ...result, ...interruptsOf({ ...interrupt, ...result }) };
}

export function toRun(row: RunRow): Run;
export function toRun(row: RunRow | null): Run | undefined;
export function toRun(row: RunRow | null): Run | undefined {
  if (!row) return undefined;
  return {
    runId: row.run_id,
    threadKey: keyOf(row.thread),
    threadId: row.thread_id,
    owner: row.owner,
    messageId: row.message_id,
    workflow: row.workflow,
    status: row.status,
    request: JSON.parse(row.request),
    attempt: row.attempt,
    lease: row.lease,
    createdAt: row.created_at,
    notBefore: row.not_before,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    usage: toUsage(row),
    agents: row.agents === null ? [] : toReports(JSON.parse(row.agents)),
    result: row.result === null ? null : toResult(JSON.parse(row.result)),
    error: row.error === null ? null : (JSON.parse(row.error) as ErrorBody),
  };
}

/** A run for a list: a damaged row is listed with the columns that can be read, and doesn't hide the other runs. */
export function toListedRun(row: RunRow): Run {
  try {
    return toRun(row);
  } catch {
    const error = errorBody(new SkeinError('INTERNAL_ERROR', { message: UNREADABLE_RUN }), row.run_id);
    const request = JSON.stringify({ userPrompt: '', deadlineSeconds: 0, requestId: row.run_id });
    return toRun({ ...row, request, models: null, agents: null, result: null, error: JSON.stringify(error) });
  }
}

export const UNREADABLE_RUN = 'The stored run cannot be read';

export type UsageColumns = Pick<RunRow, 'input_tokens' | 'output_tokens' | 'models'>;

export function toUsage(row: UsageColumns): RunUsage {
  const totals = { inputTokens: row.input_tokens, outputTokens: row.output_tokens };
  if (row.models === null) return totals;
  const models = modelsIn(row.models);
  const cost = costOfAll(models);
  return { ...totals, ...(cost !== undefined && { cost }), models };
}

/** Adds defaults for fields that earlier versions did not store. */
function toReports(stored: Partial<AgentReport>[]): AgentReport[] {
  return stored.map((report) => ({ ...emptyRecord(), path: [], execution: 1, ...report }) as AgentReport);
}

export function toMessage(row: MessageRow | null): Message | undefined {
  if (!row) return undefined;
  return {
    messageId: row.message_id,
    threadKey: keyOf(row.thread),
    threadId: row.thread_id,
    runId: row.run_id,
    role: row.role,
    content: row.content,
    createdAt: row.created_at,
  };
}

export function statisticsOf(
  rows: Pick<RunRow, 'status' | 'started_at' | 'finished_at' | 'created_at'>[],
): RunStatistics {
  const succeeded = rows.filter(({ status }) => status === 'succeeded');
  const firstOther = rows.findIndex(({ status }) => status !== 'failed');
  const durations = succeeded.map((row) => (row.finished_at ?? 0) - (row.started_at ?? row.created_at));
  return {
    succeeded: succeeded.length,
    failed: rows.filter(({ status }) => status === 'failed').length,
    lastRunAt: rows[0]?.created_at ?? null,
    failedInARow: firstOther < 0 ? rows.length : firstOther,
    durations: durations.sort((a, b) => a - b),
  };
}
