/** The commands that start runs: a new one, one that answers what the thread asks, or one from an older checkpoint. */
import { type Static, Type } from '@sinclair/typebox';
import { ElysiaCustomStatusResponse } from 'elysia';
import { assistantId } from '../../../runtime/assistants/system-assistants.ts';
import type { StoredThread } from '../../../state/archive.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { StreamMode } from '../../../state/runs.ts';
import { startRun } from '../runs/intake.ts';
import { Command, RunCreate } from '../runs/run-create.ts';
import { type CommandCall, checkedParams, existingThread, threadIn } from './command-call.ts';
import { Refusal } from './envelope.ts';

/** What the log of a run must have for the events of this protocol. */
const MODES: StreamMode[] = ['values', 'updates', 'messages-tuple', 'custom', 'tasks', 'tools'];

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

/** Makes the thread where there is none. The input is the answer where the thread asks, except from a checkpoint. */
export async function runStart(call: CommandCall): Promise<{ run_id: string }> {
  const params = checkedParams(RunStart, call.params);
  const { input, multitaskStrategy, ...rest } = params;
  const thread = await threadIn(call);
  const isFork = typeof params.config?.configurable?.checkpoint_id === 'string';
  const isAnswer = input !== undefined && input !== null && !isFork && thread && asks(thread);
  return start(call, {
    ...rest,
    multitask_strategy: params.multitask_strategy ?? multitaskStrategy,
    ...(isAnswer ? { command: { resume: input } } : { input }),
  });
}

/** What a busy thread asks is being answered. */
function asks({ status, interrupt }: StoredThread): boolean {
  return status === 'interrupted' && (interrupt?.interrupts.length ?? 0) > 0;
}

export async function inputRespond(call: CommandCall): Promise<Record<string, never>> {
  const { responses, interrupt_id, response, update, goto, ...rest } = checkedParams(Respond, call.params);
  const answers = responses ?? (interrupt_id === undefined ? [] : [{ interrupt_id, response }]);
  if (answers.length === 0)
    throw new Refusal('invalid_argument', 'interrupt_id: expected an id, or `responses`');
  const thread = await existingThread(call);
  const { owner, interrupt } = thread;
  const asked = interrupt?.interrupts.map(({ interruptId }) => interruptId) ?? [];
  if (!interrupt || answers.some((answer) => !asked.includes(answer.interrupt_id)))
    throw new Refusal('no_such_interrupt', 'The thread does not wait for this answer');
  // It may have been deleted, which does not answer what it asked.
  const asking = await call.services.runtime.run(owner, interrupt.runId).catch(unlessGone);
  const resume = Object.fromEntries(answers.map((answer) => [answer.interrupt_id, answer.response ?? null]));
  await start(call, {
    ...{ config: rest.config, metadata: rest.metadata, command: { resume, update, goto } },
    assistant_id: asking
      ? (asking.request.protocol?.assistantId ?? assistantId(asking.workflow))
      : assistantOf(thread),
    // The answer is for this question: queued behind another run, it might meet a later one.
    multitask_strategy: 'reject',
  });
  return {};
}

export async function stateFork(call: CommandCall): Promise<{ run_id: string; thread_id: string }> {
  const { checkpoint_id, input = null, config } = checkedParams(Fork, call.params);
  const thread = await existingThread(call);
  const assistant_id = assistantOf(thread);
  const { run_id } = await start(call, { assistant_id, input, config, checkpoint_id });
  return { run_id, thread_id: thread.threadId };
}

/** That of its last run. */
function assistantOf({ workflow, metadata }: StoredThread): string {
  const { assistant_id } = metadata;
  return typeof assistant_id === 'string' ? assistant_id : assistantId(workflow);
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof SkeinError && error.code === 'RUN_NOT_FOUND')) throw error;
}

async function start(
  { services, threadId, request, set }: CommandCall,
  asked: Static<typeof RunCreate>,
): Promise<{ run_id: string }> {
  await services.countChat(request);
  const body = {
    ...asked,
    ...{ if_not_exists: 'create' as const, stream_mode: MODES, stream_subgraphs: true },
  };
  const { turn } = await startRun(services, threadId, { request, set, body }).catch((error) => {
    // The text of a busy thread.
    if (error instanceof ElysiaCustomStatusResponse)
      throw new Refusal('unknown_error', String(error.response));
    throw error;
  });
  turn.ended.catch(() => {});
  await services.runtime.durable(turn.runId);
  return { run_id: turn.runId };
}
