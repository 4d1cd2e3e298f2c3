/**
 * Converts a stored run to a trace in OTLP JSON, for tools that import traces. The spans have the same names and attributes as
 * those of the service's own export.
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/docs/specification.md#json-protobuf-encoding
 */
import { createHash } from 'node:crypto';
import { type AgentReport, type ModelCallEntry, usageOf } from '../../state/threads/run-trace.ts';
import type { Run } from '../../state/threads/runs.ts';
import { spoken } from '../../tools/telemetry/chat-span.ts';

interface Value {
  stringValue?: string;
  intValue?: string;
  doubleValue?: number;
}

export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  /** 1: internal, 3: client. */
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  /** 0: unset, 2: error. */
  status: { code: number; message?: string };
}

type Attributes = Record<string, string | number | undefined>;

interface SpanOptions {
  name: string;
  parent: string;
  startedAt: number;
  durationMs: number;
  attributes: Attributes;
  error?: string | undefined;
  isCall?: boolean;
}

const ERROR = 2;
const [INTERNAL, CLIENT] = [1, 3];

/** `version` is the version of Skein, for the attribute `service.version`. */
export function otlpTrace(run: Run, version: string) {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': 'skein', 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'skein', version }, spans: spansOf(run) }],
      },
    ],
  };
}

function spansOf(run: Run): OtlpSpan[] {
  const spans: OtlpSpan[] = [];
  const traceId = traceOf(run);
  // The spans of a run that hasn't ended last until now.
  const now = run.finishedAt ?? Date.now();

  /** Returns the id of the span. */
  function add({
    name,
    parent,
    startedAt,
    durationMs,
    attributes,
    error,
    isCall = false,
  }: SpanOptions): string {
    const spanId = digest(`${run.runId} ${spans.length}`, 16);
    spans.push({
      ...{ traceId, spanId, parentSpanId: parent, name, kind: isCall ? CLIENT : INTERNAL },
      startTimeUnixNano: nanoseconds(startedAt),
      endTimeUnixNano: nanoseconds(startedAt + durationMs),
      attributes: attributesOf({
        ...attributes,
        ...{ 'gen_ai.conversation.id': run.threadId, 'skein.run.id': run.runId, 'error.type': error },
      }),
      status: error === undefined ? { code: 0 } : { code: ERROR, message: error },
    });
    return spanId;
  }

  const startedAt = run.startedAt ?? run.createdAt;
  const root = add({
    ...{ name: `invoke_workflow ${run.workflow}`, parent: parentOf(run) },
    ...{ startedAt, durationMs: now - startedAt, error: run.error?.error_code },
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.agent.name': run.workflow,
      'gen_ai.workflow.name': run.workflow,
      'gen_ai.input.messages': spoken('user', run.request.userPrompt),
      'gen_ai.output.messages': run.result ? spoken('assistant', run.result.agentResponse) : undefined,
      'gen_ai.usage.input_tokens': run.usage.inputTokens,
      'gen_ai.usage.output_tokens': run.usage.outputTokens,
      'skein.run.status': run.status,
      'user.id': run.owner,
    },
  });
  for (const report of run.agents) addAgent(report, root);
  return spans;

  function addAgent(report: AgentReport, parent: string): void {
    const { agent, path, execution, state, calls, steps, tools, ...times } = report;
    const { input_tokens, output_tokens } = usageOf(calls);
    const own = add({
      ...{ name: `invoke_agent ${agent}`, parent, startedAt: times.startedAt },
      durationMs: times.durationMs ?? now - times.startedAt,
      error: state === 'failed' ? 'agent_error' : undefined,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        'gen_ai.usage.input_tokens': input_tokens,
        'gen_ai.usage.output_tokens': output_tokens,
        'skein.execution': execution,
        'skein.agent.path': path.length > 0 ? path.join('/') : undefined,
        'skein.agent.state': state,
      },
    });
    const stepSpans = new Map<string, string>();
    for (const { step, state: stepState, started_at, duration_ms } of steps) {
      const span = add({
        ...{ name: `step ${step}`, parent: own, ...timesOf(started_at, duration_ms) },
        attributes: { 'gen_ai.agent.name': agent, 'skein.agent.step': step },
        error: stepState === 'failed' ? 'step_error' : undefined,
      });
      stepSpans.set(step, span);
    }
    for (const call of calls) addCall(call, stepSpans.get(call.step ?? '') ?? own);
    for (const { tool, tool_call_id, error, started_at, duration_ms } of tools)
      add({
        ...{ name: `execute_tool ${tool}`, parent: own, ...timesOf(started_at, duration_ms) },
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': tool,
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.call.id': tool_call_id ?? undefined,
        },
        error: error === undefined ? undefined : 'tool_error',
      });
  }

  function addCall(call: ModelCallEntry, parent: string): void {
    const { model, task, first_token_ms, attempt, input_tokens, output_tokens, error_code } = call;
    add({
      ...{ name: `chat ${model}`, parent, ...timesOf(call.started_at, call.duration_ms), isCall: true },
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        'gen_ai.response.model': error_code === undefined ? model : undefined,
        'gen_ai.response.time_to_first_chunk': first_token_ms === null ? undefined : first_token_ms / 1000,
        'gen_ai.usage.input_tokens': input_tokens,
        'gen_ai.usage.output_tokens': output_tokens,
        ...{ 'skein.task': task, 'skein.attempts': attempt },
      },
      error: error_code,
    });
  }

  function timesOf(started: string, duration: number | null) {
    const at = Date.parse(started);
    return { startedAt: at, durationMs: duration ?? Math.max(0, now - at) };
  }
}

// 00-<trace>-<parent>-<flags>: https://www.w3.org/TR/trace-context/
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-/;

/** The caller's trace id, otherwise a digest of the run id, so that repeated exports have the same trace id. */
function traceOf({ runId, request }: Run): string {
  return TRACEPARENT.exec(request.traceparent ?? '')?.[1] ?? digest(runId, 32);
}

function parentOf({ request }: Run): string {
  return TRACEPARENT.exec(request.traceparent ?? '')?.[2] ?? '';
}

function digest(text: string, characters: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, characters);
}

function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1000)) * 1000n);
}

function attributesOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: typed(value) }],
  );
}

function typed(value: string | number): Value {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
