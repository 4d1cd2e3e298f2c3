/** The wire schema of a run. */
import { type Static, Type } from '@sinclair/typebox';
import { titleOf } from '../../runtime/intake/title.ts';
import { usageOf } from '../../state/threads/run-trace.ts';
import type { Run } from '../../state/threads/runs.ts';
import { ErrorBody } from '../http/schemas/error-schema.ts';
import { toUsageBody, UsageBody } from '../http/schemas/usage-schema.ts';
import { OwnerField } from '../threads/shape.ts';
import { AgentEntry } from './agent-shape.ts';

const Time = Type.String({ format: 'date-time' });
const NullableTime = (description: string) => Type.Union([Time, Type.Null()], { description });

export const RunStatus = Type.Union(
  [
    Type.Literal('queued'),
    Type.Literal('running'),
    Type.Literal('succeeded'),
    Type.Literal('failed'),
    Type.Literal('interrupted'),
    Type.Literal('cancelled'),
  ],
  { description: 'interrupted: it asked a person or stopped at a breakpoint' },
);

export const runParams = Type.Object({ run_id: Type.String({ description: 'The id of the run' }) });

export const RunBody = Type.Object(
  {
    run_id: Type.String({ description: 'The id of the run' }),
    owner: OwnerField,
    thread_id: Type.String({ description: 'The thread of the run' }),
    message_id: Type.String({ description: "The answer's message, once it exists" }),
    user_prompt: Type.String({ description: 'The question, or the beginning of the input as JSON' }),
    title: Type.String({
      description:
        'The question in one line, at most 80 characters. For a JSON question: its only text, or its fields as `name: value`',
    }),
    workflow: Type.String({ description: 'The workflow that the run executes' }),
    resumes: Type.Optional(
      Type.String({
        description:
          'The run that this one resumes after an interrupt or a breakpoint. Both belong to the same turn',
      }),
    ),
    status: RunStatus,
    attempt: Type.Integer({ description: 'Above 1 if the run continued after the crash of a process' }),
    created_at: Type.String({ format: 'date-time', description: 'When it was accepted' }),
    started_at: NullableTime('When it started. Null while it is queued'),
    finished_at: NullableTime('When it ended. Null until then'),
    usage: UsageBody,
    agents: Type.Array(AgentEntry, {
      description: 'The executions of agents, in the order in which they started',
    }),
    error: Type.Union([ErrorBody, Type.Null()], { description: 'Why it failed, or null' }),
  },
  { title: 'Run' },
);
export type RunBody = Static<typeof RunBody>;

export function toRunBody(run: Run): RunBody {
  return {
    run_id: run.runId,
    thread_id: run.threadId,
    message_id: run.messageId,
    user_prompt: run.request.userPrompt,
    title: titleOf(run.request.userPrompt, run.request.input),
    workflow: run.workflow,
    ...(run.request.resume && { resumes: run.request.resume.runId }),
    status: run.status,
    attempt: run.attempt,
    created_at: timeOf(run.createdAt),
    started_at: run.startedAt === null ? null : timeOf(run.startedAt),
    finished_at: run.finishedAt === null ? null : timeOf(run.finishedAt),
    usage: toUsageBody(run.usage),
    agents: run.agents.map(({ startedAt, durationMs, ...agent }) => ({
      ...{ ...agent, started_at: timeOf(startedAt), duration_ms: durationMs },
      usage: usageOf(agent.calls),
    })),
    error: run.error,
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A run without its agents. */
export const RunHead = Type.Omit(RunBody, ['agents'], { title: 'RunHead' });

export function toRunHead(run: Run): Static<typeof RunHead> {
  const { agents: _, ...head } = toRunBody({ ...run, agents: [] });
  return head;
}
