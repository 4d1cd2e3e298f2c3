/** The record of an agent's work: prompts, model calls, steps and tool calls, in the form of the log and the wire. */
import { addedCosts } from '../costs.ts';
import type { ErrorCode } from '../errors.ts';

/** A rendered prompt file. */
export interface UsedPrompt {
  filename: string;
  /** The revision that contains the file, which may be the fallback `default`. */
  revision_id: string;
  /** Counted from 1; 0 is the file from the package; null if unknown. */
  version: number | null;
  /** The SHA-256 of the file's content, in hexadecimal. */
  sha256: string;
}

/** A call of a chat model, including retries and fallback models. */
export interface ModelCallEntry {
  /** The model that answered, or the first model if none did. */
  model: string;
  /** The purpose: `answer`, `chat` for a `chatModel()`, or the name of the requested output schema. */
  task: string;
  /** The agent's step that made the call. */
  step?: string;
  /** The time at which the call started. */
  started_at: string;
  /** The duration of the call in milliseconds. */
  duration_ms: number;
  /** Milliseconds from the start of the call to the first text; null if the model returned no text, for example only tool calls. */
  first_token_ms: number | null;
  /** The number of requests to providers; 0 if the call was rejected before. */
  attempt: number;
  /** The input tokens of all attempts. */
  input_tokens: number;
  output_tokens: number;
  /** The cost of all attempts, in the currency of the prices; absent if the model has no price. */
  cost?: number;
  /** The error of a failed call. */
  error_code?: ErrorCode;
  /** Details of the error, including the provider's message, without keys. */
  error_detail?: string;
}

/** Links an execution to the others of its turn. Absent in records of earlier versions. */
interface Cause {
  /** LangGraph's task id. */
  task_id?: string;
  /** The ids of the tasks that triggered it, `__start__` for the start of its graph. */
  from?: string[];
}

export interface StepEntry extends Cause {
  step: string;
  /** `started`: the step is running, or waits for a person. */
  state: 'started' | 'finished' | 'failed';
  started_at: string;
  duration_ms: number | null;
}

/** A tool call. Its input and output are in the run's events. */
interface ToolEntry {
  tool: string;
  tool_call_id: string | null;
  /** `started`: the call is running, or waits for a person. */
  state: 'started' | 'finished' | 'failed';
  started_at: string;
  duration_ms: number | null;
  /** The error of a failed call. */
  error?: string;
}

/** The prompts, calls, steps and tool calls of an agent so far. */
export interface WorkRecord {
  /** Without duplicates. */
  prompts: UsedPrompt[];
  calls: ModelCallEntry[];
  steps: StepEntry[];
  tools: ToolEntry[];
}

/** The report of one execution of an agent. Its usage is the sum of `calls`. */
export interface AgentReport extends WorkRecord, Cause {
  agent: string;
  /** The nodes of the enclosing subgraphs, outermost first; [] at the root. */
  path: string[];
  /** The number of the agent's execution in its graph, from 1. */
  execution: number;
  /** The task id of the enclosing subgraph; left out at the root. */
  parent_task_id?: string;
  state: 'started' | 'finished' | 'failed';
  /** The error of a failed execution. */
  error_code?: ErrorCode;
  startedAt: number;
  durationMs: number | null;
}

export function emptyRecord(): WorkRecord {
  return { prompts: [], calls: [], steps: [], tools: [] };
}

export function addPrompt<Used extends UsedPrompt>({ prompts }: { prompts: Used[] }, used: Used): void {
  const known = prompts.some(
    ({ filename, revision_id, version, sha256 }) =>
      filename === used.filename &&
      revision_id === used.revision_id &&
      version === used.version &&
      sha256 === used.sha256,
  );
  if (!known) prompts.push(used);
}

/** The usage of calls, in the wire form. */
export interface UsedTokens {
  input_tokens: number;
  output_tokens: number;
  /** In the currency of the prices; absent if none of the models has a price. */
  cost?: number;
}

export function usageOf(calls: ModelCallEntry[]): UsedTokens {
  const usage: UsedTokens = { input_tokens: 0, output_tokens: 0 };
  for (const { input_tokens, output_tokens, cost } of calls) {
    usage.input_tokens += input_tokens;
    usage.output_tokens += output_tokens;
    if (cost !== undefined) usage.cost = addedCosts(usage.cost, cost);
  }
  return usage;
}
