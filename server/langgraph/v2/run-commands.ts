/** The commands that start runs: a new run, a run that answers an interrupt, or a run from an older checkpoint. */
import { type Static, Type } from '@sinclair/typebox';
import { ElysiaCustomStatusResponse } from 'elysia';
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { StoredThread } from '../../../state/threads/archive.ts';
import type { StreamMode } from '../../../state/threads/runs.ts';
import { Command, RunCreate } from '../runs/run-create.ts';
import { startRun } from '../runs/start-run.ts';
import { type CommandCall, checkedParams, findThread, requireThread } from './command-call.ts';
import { CommandError } from './envelope.ts';

/** The stream modes that the log of a run needs for the events of this protocol. */
const STREAM_MODES: StreamMode[] = ['values', 'updates', 'messages-tuple', 'custom', 'tasks', 'tools'];

const { assistant_id, input, config, metadata, context } = RunCreate.properties;
const { multitask_strategy, interrupt_before, interrupt_after, webhook } = RunCreate.properties;

const RunStart = Type.Object(
  {
    ...{ assistant_id, input, config, metadata, context, interrupt_before, interrupt_after, webhook },
    ...{ multitask_strategy, multitaskStrategy: multitask_strategy },
  },
  { additionalProperties: true },
);

const InterruptId = Type.String({ minLength: 1, maxLength: 1000 });
const Answer = Type.Object(
  { interrupt_id: InterruptId, response: Type.Optional(Type.Unknown()) },
  { additionalProperties: true },
);

const Respond = Type.Object(
  {
    interrupt_id: Type.Optional(InterruptId),
    response: Type.Optional(Type.Unknown()),
    responses: Type.Optional(Type.Array(Answer, { minItems: 1, maxItems: 1000 })),
    ...{ config, metadata, update: Command.properties.update, goto: Command.properties.goto },
  },
  { additionalProperties: true },
);

const Fork = Type.Object(
  { checkpoint_id: Type.String({ minLength: 1, maxLength: 200 }), input, config },
  { additionalProperties: true },
);

/**
 * Creates the thread if it doesn't exist. If an interrupt is pending, the input resumes it, unless the run starts from a
 * checkpoint.
 */
export async function runStart(call: CommandCall): Promise<{ run_id: string }> {
  const params = checkedParams(RunStart, call.params);
  const { input, multitaskStrategy, ...rest } = params;
  const thread = await findThread(call);
  const isFork = typeof params.config?.configurable?.checkpoint_id === 'string';
  const isResume = input !== undefined && input !== null && !isFork && thread && hasPendingInterrupt(thread);
  return startOnThread(call, {
    ...rest,
    multitask_strategy: params.multitask_strategy ?? multitaskStrategy,
    ...(isResume ? { command: { resume: input } } : { input }),
  });
}

/** False for a busy thread, because its interrupt is being resumed. */
function hasPendingInterrupt({ status, interrupt }: StoredThread): boolean {
  return status === 'interrupted' && (interrupt?.interrupts.length ?? 0) > 0;
}

export async function inputRespond(call: CommandCall): Promise<Record<string, never>> {
  const { responses, interrupt_id, response, update, goto, ...rest } = checkedParams(Respond, call.params);
  const answers = responses ?? (interrupt_id === undefined ? [] : [{ interrupt_id, response }]);
  if (answers.length === 0)
    throw new CommandError('invalid_argument', 'interrupt_id: required without responses');
  const thread = await requireThread(call);
  const { owner, interrupt } = thread;
  const pendingIds = interrupt?.interrupts.map(({ interruptId }) => interruptId) ?? [];
  if (!interrupt || answers.some((answer) => !pendingIds.includes(answer.interrupt_id)))
    throw new CommandError('no_such_interrupt', 'The interrupt is not pending on this thread');
  // The interrupted run may have been deleted. Its interrupts stay pending.
  const interrupted = await call.services.runtime.run(owner, interrupt.runId).catch(ignoreNotFound);
  const resume = Object.fromEntries(answers.map((answer) => [answer.interrupt_id, answer.response ?? null]));
  await startOnThread(call, {
    ...{ config: rest.config, metadata: rest.metadata, command: { resume, update, goto } },
    assistant_id: interrupted
      ? (interrupted.request.protocol?.assistantId ?? assistantId(interrupted.workflow))
      : assistantOf(thread),
    // Don't enqueue: after another run, the answer could resume a different interrupt.
    multitask_strategy: 'reject',
  });
  return {};
}

export async function stateFork(call: CommandCall): Promise<{ run_id: string; thread_id: string }> {
  const { checkpoint_id, input = null, config } = checkedParams(Fork, call.params);
  const thread = await requireThread(call);
  const assistant_id = assistantOf(thread);
  const { run_id } = await startOnThread(call, { assistant_id, input, config, checkpoint_id });
  return { run_id, thread_id: thread.threadId };
}

/** The assistant of the thread's last run. */
function assistantOf({ workflow, metadata }: StoredThread): string {
  const { assistant_id } = metadata;
  return typeof assistant_id === 'string' ? assistant_id : assistantId(workflow);
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof SkeinError && error.code === 'RUN_NOT_FOUND')) throw error;
}

async function startOnThread(
  { services, threadId, request, set }: CommandCall,
  run: Static<typeof RunCreate>,
): Promise<{ run_id: string }> {
  await services.countChat(request);
  const body = {
    ...run,
    ...{ if_not_exists: 'create' as const, stream_mode: STREAM_MODES, stream_subgraphs: true },
  };
  const { turn } = await startRun(services, threadId, { request, set, body }).catch((error) => {
    // The thread is busy. The response is text that is meant for clients.
    if (error instanceof ElysiaCustomStatusResponse)
      throw new CommandError('unknown_error', String(error.response));
    throw error;
  });
  turn.ended.catch(() => {});
  await services.runtime.durable(turn.runId);
  return { run_id: turn.runId };
}
