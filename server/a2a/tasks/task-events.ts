/** A run's log as the events of a task. */
import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import { answerText } from '../../../runtime/journal/answer-text.ts';
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import { speakersOf } from '../../../runtime/workflows/speakers.ts';
import { type ErrorBody, SkeinError } from '../../../state/errors.ts';
import { agentOf, type LogEntry } from '../../../state/events.ts';
import type { Run } from '../../../state/runs.ts';
import type { Services } from '../../services.ts';
import { textPart } from '../parts.ts';
import { type AgentCall, foundTask } from './agent-call.ts';
import { agentMessage, answerArtifactId, artifact, artifactsOf, metadataOf, statusOf } from './task.ts';

export interface FollowedTask {
  /** The run that the task began with. */
  taskId: string;
  run: Pick<Run, 'runId' | 'threadId' | 'messageId' | 'workflow'>;
  resumes: boolean;
}

/** From the run's beginning to its end; the last one is the status of the task then. */
export async function* taskEvents(
  services: Services,
  call: AgentCall,
  { taskId, run, resumes }: FollowedTask,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { runtime } = services;
  const { agent, owner } = call;
  const text = answerText(await speakersOf(agent.workflow), { resumes });
  const start = { view: ENTRIES, after: 0 };
  const { batches, ended } = await runtime.follow(owner, run.runId, start, { orEnd: true });
  const events = eventsOf(taskId, run);
  let said = false;
  for await (const { events: entries } of batches) {
    if (entries.some(({ kind }) => kind === 'run')) yield events.working();
    const piece = entries.map(text.add).join('');
    if (piece !== '') {
      yield events.answer(piece, { append: said, lastChunk: false });
      said = true;
    }
    for (const entry of entries) {
      if (entry.kind === 'status') yield events.working(entry);
      if (entry.kind !== 'response' && entry.kind !== 'error') continue;
      const end = await ended().catch(() => undefined);
      const task = await foundTask(services, call, taskId);
      // It goes on elsewhere, or later.
      if (task.last.finishedAt === null) throw goesOn(entry.body);
      if (end) {
        const rest = text.rest(end.result.agentResponse);
        if (said || rest !== '') yield events.answer(rest, { append: said, lastChunk: true });
        for (const one of artifactsOf(end))
          if (one.artifactId !== answerArtifactId(run.messageId)) yield events.artifact(one);
      }
      return yield events.status(statusOf(task));
    }
  }
}

function goesOn(body: ErrorBody | null): SkeinError {
  if (body === null) return new SkeinError('INTERNAL_ERROR');
  const { error_code, message, detail } = body;
  return new SkeinError(error_code, detail === undefined ? { message } : { message, detail });
}

function eventsOf(taskId: string, run: FollowedTask['run']) {
  const contextId = run.threadId;
  const place = { taskId, contextId, metadata: metadataOf(run) };
  const status = (now: ReturnType<typeof statusOf>): StreamResponse => ({
    payload: { $case: 'statusUpdate', value: { ...place, status: now } },
  });
  const piece = (
    one: ReturnType<typeof artifact>,
    { append = false, lastChunk = true } = {},
  ): StreamResponse => ({
    payload: { $case: 'artifactUpdate', value: { ...place, artifact: one, append, lastChunk } },
  });
  return {
    status,
    artifact: piece,
    answer: (text: string, how: { append: boolean; lastChunk: boolean }) =>
      piece(artifact(answerArtifactId(run.messageId), 'answer', textPart(text)), how),
    /** What an agent says that it does. */
    working(told?: LogEntry & { kind: 'status' }) {
      const part = told && textPart(told.body.text, { agent: agentOf(told) });
      return status({
        state: TaskState.TASK_STATE_WORKING,
        message: part && agentMessage({ runId: taskId, threadId: contextId }, run.messageId, [part]),
        timestamp: new Date(told?.at ?? Date.now()).toISOString(),
      });
    },
  };
}
