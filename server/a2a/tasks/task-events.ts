/** Streams a run's log as A2A task events. */
import { type StreamResponse, TaskState } from '@a2a-js/sdk';
import { answerText } from '../../../runtime/journal/answer-text.ts';
import { ENTRIES } from '../../../runtime/journal/entries.ts';
import { answerSourcesOf } from '../../../runtime/workflows/answer-sources.ts';
import { type ErrorBody, SkeinError } from '../../../state/errors.ts';
import { agentOf, type LogEntry } from '../../../state/threads/events.ts';
import type { Run } from '../../../state/threads/runs.ts';
import type { Services } from '../../services.ts';
import { textPart } from '../parts.ts';
import { type AgentCall, findTask } from './agent-call.ts';
import { agentMessage, answerArtifactId, artifact, artifactsOf, metadataOf, statusOf } from './task.ts';

export interface FollowedTask {
  /** The id of the task, which is the id of its first run. */
  taskId: string;
  run: Pick<Run, 'runId' | 'threadId' | 'messageId' | 'workflow'>;
  resumes: boolean;
}

/**
 * Yields events from the start of the run to its end. The last event is the task's final status. Throws the SkeinError that
 * ended this stream if the run itself continues.
 */
export async function* taskEvents(
  services: Services,
  call: AgentCall,
  { taskId, run, resumes }: FollowedTask,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { runtime } = services;
  const { agent, owner } = call;
  const text = answerText(await answerSourcesOf(agent.workflow), { resumes });
  const start = { view: ENTRIES, after: 0 };
  const { batches, ended } = await runtime.follow(owner, run.runId, start, { orEnd: true });
  const events = eventsOf(taskId, run);
  let hasText = false;
  for await (const { events: entries } of batches) {
    if (entries.some(({ kind }) => kind === 'run')) yield events.working();
    const piece = entries.map(text.add).join('');
    if (piece !== '') {
      yield events.answer(piece, { append: hasText, lastChunk: false });
      hasText = true;
    }
    for (const entry of entries) {
      if (entry.kind === 'status') yield events.working(entry);
      if (entry.kind !== 'response' && entry.kind !== 'error') continue;
      const end = await ended().catch(() => undefined);
      const task = await findTask(services, call, taskId);
      // The run continues on another server or after a restart.
      if (task.last.finishedAt === null) throw toError(entry.body);
      if (end) {
        const rest = text.rest(end.result.agentResponse);
        if (hasText || rest !== '') yield events.answer(rest, { append: hasText, lastChunk: true });
        for (const artifact of artifactsOf(end))
          if (artifact.artifactId !== answerArtifactId(run.messageId)) yield events.artifact(artifact);
      }
      return yield events.status(statusOf(task));
    }
  }
}

function toError(body: ErrorBody | null): SkeinError {
  if (body === null) return new SkeinError('INTERNAL_ERROR');
  const { error_code, message, detail } = body;
  return new SkeinError(error_code, detail === undefined ? { message } : { message, detail });
}

function eventsOf(taskId: string, run: FollowedTask['run']) {
  const contextId = run.threadId;
  const ids = { taskId, contextId, metadata: metadataOf(run) };
  const statusEvent = (status: ReturnType<typeof statusOf>): StreamResponse => ({
    payload: { $case: 'statusUpdate', value: { ...ids, status } },
  });
  const artifactEvent = (
    chunk: ReturnType<typeof artifact>,
    { append = false, lastChunk = true } = {},
  ): StreamResponse => ({
    payload: { $case: 'artifactUpdate', value: { ...ids, artifact: chunk, append, lastChunk } },
  });
  return {
    status: statusEvent,
    artifact: artifactEvent,
    answer: (text: string, position: { append: boolean; lastChunk: boolean }) =>
      artifactEvent(artifact(answerArtifactId(run.messageId), 'answer', textPart(text)), position),
    /** The task is working, with the status text of an agent if there is one. */
    working(entry?: LogEntry & { kind: 'status' }) {
      const part = entry && textPart(entry.body.text, { agent: agentOf(entry) });
      return statusEvent({
        state: TaskState.TASK_STATE_WORKING,
        message: part && agentMessage({ runId: taskId, threadId: contextId }, run.messageId, [part]),
        timestamp: new Date(entry?.at ?? Date.now()).toISOString(),
      });
    },
  };
}
