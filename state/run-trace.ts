/** What is recorded of an agent's work: prompts, model calls and steps, as the log keeps them and the wire shows them. */
import { addedCosts } from './costs.ts';
import type { ErrorCode } from './errors.ts';

/** A prompt file that was rendered. */
export interface UsedPrompt {
  filename: string;
  /** The revision that has the file, which may be the fallback `default`. */
  revision_id: string;
  /** Counts from 1; 0 is the shipped file; null where it cannot be told. */
  version: number | null;
  /** Of the file as it was rendered, in hex. */
  sha256: string;
}

/** A call of a chat model, retries and fallback models included. */
export interface ModelCallEntry {
  /** The model that answered; where none did, the one that was asked first. */
  model: string;
  /** What it was for: `answer`, `chat` for a `chatModel()`, or the name of the shape that was asked for. */
  task: string;
  /** The step of the agent's work that made it. */
  step?: string;
  started_at: string;
  duration_ms: number;
  /** From the call's start; null where no text came, as with tool arguments. */
  first_token_ms: number | null;
  /** How many times a provider was asked; 0 where the call was refused before. */
  attempt: number;
  /** Of all attempts. */
  input_tokens: number;
  output_tokens: number;
  /** Of all attempts, in the currency of the prices; absent where the model has no price. */
  cost?: number;
  /** Why it gave nothing. */
  error_code?: ErrorCode;
  /** The provider's own words among it, without keys. */
  error_detail?: string;
}

/** Where an execution stands among the others of its turn: earlier versions lack all of it. */
interface Cause {
  /** LangGraph's id of its task. */
  task_id?: string;
  /** The ids of the tasks that led to it, `__start__` for the start of its graph. */
  from?: string[];
}

export interface StepEntry extends Cause {
  step: string;
  /** `started` for one that has not ended: it runs, or waits for a person. */
  state: 'started' | 'finished' | 'failed';
  started_at: string;
  duration_ms: number | null;
}

/** A call of a tool; what it was given and gave stands in the run's events. */
interface ToolEntry {
  tool: string;
  tool_call_id: string | null;
  /** `started` for one that has not ended: it runs, or waits for a person. */
  state: 'started' | 'finished' | 'failed';
  started_at: string;
  duration_ms: number | null;
  /** Why it failed. */
  error?: string;
}

/** What an agent has rendered, called and done so far. Whoever works adds to it. */
export interface WorkRecord {
  /** Each once. */
  prompts: UsedPrompt[];
  calls: ModelCallEntry[];
  steps: StepEntry[];
  tools: ToolEntry[];
}

/** `usage` is not in it: it is the sum of the calls. */
export interface AgentReport extends WorkRecord, Cause {
  agent: string;
  /** The names of the nodes whose graphs it is in; [] at the root. */
  path: string[];
  /** 1, 2, ... for each time that it runs in its graph. */
  execution: number;
  /** The task in whose graph it is; left out at the root. */
  parent_task_id?: string;
  state: 'started' | 'finished' | 'failed';
  /** Why it failed. */
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

/** What calls have used, as the wire has it. */
export interface UsedTokens {
  input_tokens: number;
  output_tokens: number;
  /** In the currency of the prices; absent where none of the models has a price. */
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
