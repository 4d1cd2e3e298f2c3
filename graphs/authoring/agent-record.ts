/** Records what an agent renders and calls, and says when it and its steps begin and end. */
import { isGraphBubbleUp } from '@langchain/langgraph';
import { addPrompt, emptyRecord, type UsedPrompt, usageOf, type WorkRecord } from '../../state/run-trace.ts';
import type { EndedCall } from '../../tools/models/call.ts';
import type { WireMessage } from '../../tools/models/endpoint.ts';
import type { RunContext } from './run-context.ts';

/** The part of a run's record that an agent, or a step of its work, adds to. */
export interface AgentRecord {
  agent: string;
  step: string | null;
  /** `text` is what the file gave. */
  rendered(used: UsedPrompt, text: string): void;
  called(call: EndedCall): void;
  /** What it has added so far. */
  readonly added: Pick<WorkRecord, 'prompts' | 'calls'>;
}

/** Says when an agent starts and how its work ends. An agent that asks a person has not ended. */
export async function reportedAgent<T>(
  agent: string,
  run: RunContext,
  work: (record: WorkRecord) => Promise<T>,
): Promise<T> {
  const { emit, attempts, signal } = run;
  const started = Date.now();
  const record = run.record(agent);
  const report = (state: 'finished' | 'failed') => {
    const { prompts, calls } = record;
    const time = { started_at: timeOf(started), duration_ms: Date.now() - started };
    const data = { agent, state, attempt: attempts.current(agent), ...time };
    emit({ event: 'agent', data: { ...data, usage: usageOf(calls), prompts, calls } });
  };
  emit({ event: 'agent', data: { agent, state: 'started', attempt: attempts.first(agent) } });
  try {
    const result = await work(record);
    report('finished');
    return result;
  } catch (error) {
    if (!isGraphBubbleUp(error)) report('failed');
    throw signal.aborted ? signal.reason : error;
  }
}

/** The same for a step; `whole` is the record of its agent. */
export async function reportedStep<T>(
  { agent, step }: { agent: string; step: string },
  { run, whole }: { run: RunContext; whole: WorkRecord },
  work: (record: AgentRecord) => Promise<T>,
): Promise<T> {
  const started = Date.now();
  const data = { agent, text: step.replaceAll('_', ' '), step };
  const entry: WorkRecord['steps'][number] = {
    ...{ step, state: 'started', started_at: timeOf(started), duration_ms: null },
  };
  whole.steps.push(entry);
  const record = agentRecord(run, whole, { agent, step });
  run.emit({ event: 'status', data: { ...data, state: 'started' } });
  const report = (state: 'finished' | 'failed') => {
    entry.state = state;
    entry.duration_ms = Date.now() - started;
    const { started_at, duration_ms } = entry;
    const { prompts, calls } = record.added;
    const added = { ...(prompts.length > 0 && { prompts }), ...(calls.length > 0 && { calls }) };
    run.emit({ event: 'status', data: { ...data, state, started_at, duration_ms, ...added } });
  };
  try {
    const result = await work(record);
    report('finished');
    return result;
  } catch (error) {
    if (!isGraphBubbleUp(error)) report('failed');
    throw error;
  }
}

export function agentRecord(
  run: RunContext,
  whole: WorkRecord,
  { agent, step }: { agent: string; step: string | null },
): AgentRecord {
  const { prompts, calls } = emptyRecord();
  const texts: { used: UsedPrompt; text: string }[] = [];
  return {
    agent,
    step,
    added: { prompts, calls },
    rendered(used, text) {
      addPrompt(whole, used);
      addPrompt({ prompts }, used);
      texts.push({ used, text });
    },
    called(call) {
      const entry = entryOf(call, step);
      whole.calls.push(entry);
      calls.push(entry);
      run.onEnd(call, { agent, step, prompts: promptsIn(call.messages, texts) });
    },
  };
}

function promptsIn(messages: WireMessage[], texts: { used: UsedPrompt; text: string }[]): UsedPrompt[] {
  const found: Pick<WorkRecord, 'prompts'> = { prompts: [] };
  for (const { used, text } of texts) {
    if (messages.some(({ content }) => content.includes(text))) addPrompt(found, used);
  }
  return found.prompts;
}

function entryOf(call: EndedCall, step: string | null): WorkRecord['calls'][number] {
  return {
    model: call.model,
    task: call.task,
    ...(step === null ? {} : { step }),
    started_at: timeOf(call.startedAt),
    duration_ms: call.durationMs,
    first_token_ms: call.firstTokenMs,
    attempt: call.attempts,
    input_tokens: call.usage.inputTokens,
    output_tokens: call.usage.outputTokens,
    ...(call.errorCode === undefined ? {} : { error_code: call.errorCode }),
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
