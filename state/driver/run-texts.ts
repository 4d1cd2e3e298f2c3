/** Extracts the searchable texts of a run. */
import { createHash } from 'node:crypto';
import type { ErrorBody } from '../errors.ts';
import type { SearchHit, TextKind } from '../search/search.ts';
import { tokensOf } from '../search/words.ts';
import type { LogEntry, ToolCall } from '../threads/events.ts';
import type { RunRequest, RunStatus, TurnResult } from '../threads/runs.ts';

/** A run that has ended. */
export interface EndedRunRow {
  run_id: string;
  owner: string;
  request: string;
  result: string | null;
  error: string | null;
  /** The assistant's message, including the partial one of a run that was cancelled while streaming. */
  answer: string | null;
}

export interface RunText {
  kind: TextKind;
  name: string | null;
  text: string;
}

export interface HitRow extends RunText {
  id: number;
  run_id: string;
  thread_id: string;
  owner: string;
  workflow: string;
  status: RunStatus;
  created_at: number;
}

// About a page of a manual. The output of a tool may take megabytes.
const MAX_CHARACTERS = 20_000;
const MAX_TEXTS = 50;

/** `logs`: the batches of the run's log that contain tool calls, as JSON. */
export function textsOf(row: EndedRunRow, logs: readonly string[]): RunText[] {
  const { userPrompt } = JSON.parse(row.request) as RunRequest;
  const outputs = row.result === null ? [] : (JSON.parse(row.result) as TurnResult).outputs;
  const texts: RunText[] = [
    { kind: 'question', name: null, text: userPrompt },
    { kind: 'answer', name: null, text: row.answer ?? '' },
    { kind: 'error', name: null, text: errorText(row.error) },
    ...outputs
      .filter(({ content }) => content !== row.answer)
      .map(({ agent, content }): RunText => ({ kind: 'output', name: agent, text: content })),
    ...toolTexts(logs),
  ];
  return texts
    .filter(({ text }) => text !== '')
    .slice(0, MAX_TEXTS)
    .map(({ text, ...rest }) => ({ ...rest, text: text.slice(0, MAX_CHARACTERS) }));
}

function errorText(error: string | null): string {
  if (error === null) return '';
  const { error_code, message, detail } = JSON.parse(error) as ErrorBody;
  return [error_code, message, detail].filter(Boolean).join(': ');
}

function toolTexts(logs: readonly string[]): RunText[] {
  const calls = new Map<string, { tool: string; parts: string[] }>();
  for (const [piece, log] of logs.entries())
    for (const [index, entry] of (JSON.parse(log) as LogEntry[]).entries()) {
      if (entry.kind !== 'tool') continue;
      const { tool, tool_call_id: id, input, output, error }: ToolCall = entry.body;
      const key = id ?? `${piece} ${index}`;
      const call = calls.get(key) ?? { tool, parts: [tool] };
      for (const part of [input, output, error])
        if (part !== undefined) call.parts.push(typeof part === 'string' ? part : JSON.stringify(part));
      calls.set(key, call);
    }
  return Array.from(calls.values(), ({ tool, parts }) => ({
    kind: 'tool_call',
    name: tool,
    text: parts.join('\n'),
  }));
}

/** The index tokens of a text. The first one is the owner's, so that a query only reads texts of its owner. */
export function indexedTokens(owner: string, text: string): string[] {
  return [ownerToken(owner), ...tokensOf(text)];
}

/**
 * The token of an owner. A caller who searches for another owner's token finds nothing, because every query also requires
 * the token of its own owner.
 */
export function ownerToken(owner: string): string {
  return `owner0${createHash('sha256').update(owner).digest('hex').slice(0, 32)}`;
}

export function toHit(row: HitRow): SearchHit {
  const { kind, name, text, owner, workflow, status } = row;
  const { run_id: runId, thread_id: threadId, created_at: createdAt } = row;
  return { kind, name, text, runId, threadId, owner, workflow, status, createdAt };
}
