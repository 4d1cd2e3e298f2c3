/** What the runtime learns of a graph's run from LangGraph itself: the tasks of all its nodes, and what nodes write out. */
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { SkeinError } from '../../state/errors.ts';
import type { Place, TaskEnd } from '../../state/events.ts';
import type { WorkRecord } from '../../state/run-trace.ts';
import { notFirst } from '../authoring/agent-record.ts';
import { type RunContext, taskOf } from '../authoring/run-context.ts';
import { asJson } from './message-json.ts';
import { followModels } from './model-calls.ts';
import { nodeUpdate } from './node-update.ts';

export interface FollowedGraph {
  /** What the graph is invoked with, so that it is followed. */
  config: {
    configurable: Record<string, unknown>;
    writer: (data: unknown) => void;
    callbacks: BaseCallbackHandler[];
  };
  /** The nodes of the root graph that finished in its last step. */
  lastStep(): string[];
  /** The run is over: what is at work ends with it. Gives the error to report for it. */
  failed(error: unknown): unknown;
}

/** LangGraph hands each piece of its stream to it, those of subgraphs included, before the node's work goes on. */
interface StreamSink {
  modes: Set<string>;
  push(chunk: [ns: string[], mode: string, payload: unknown]): void;
}

// LangGraph's own name for where subgraphs send their streams. An argument of `stream` would give the same, some
// microtasks later: then a token could overtake the start of its node.
const STREAM = '__pregel_stream';

interface OpenTask {
  place: Place;
  startedAt: number;
  input: unknown;
  record: WorkRecord;
  numbers: Pick<TaskEnd, 'attempt' | 'execution'>;
  /** It runs a graph of its own, which tells what was said. */
  hasInner: boolean;
  hasFailed: boolean;
}

export interface FollowOptions {
  /** The nodes of the root graph: what they give is the turn's. */
  nodes: object;
  /** Tasks that are named and do not run. */
  finished: ReadonlySet<string>;
}

export function followGraph(run: RunContext, { nodes, finished }: FollowOptions): FollowedGraph {
  const open = new Map<string, OpenTask>();
  /** The superstep that each graph is in, by namespace. */
  const steps = new Map<string, number>();
  /** What the nodes of a graph gave in the stream's last pieces, by namespace. */
  const updates = new Map<string, Record<string, unknown>>();
  const { said: told } = run;
  let finishedNow: string[] = [];

  const sink: StreamSink = {
    modes: new Set(['tasks', 'updates']),
    push([ns, mode, payload]) {
      if (mode === 'checkpoints') stepped(ns, payload as { step: number });
      else if (mode === 'updates') updated(ns, payload as Record<string, unknown>);
      else if (mode === 'tasks')
        (payload as object & { result?: unknown }).result === undefined
          ? started(ns, payload as TaskChunk)
          : ended(ns, payload as ResultChunk);
    },
  };

  function started(ns: string[], { id, name, input, triggers }: TaskChunk): void {
    if (open.has(id) || finished.has(id)) return;
    if (ns.length === 0) finishedNow = [];
    const step = steps.get(ns.join('|'));
    const place: Place = {
      ...(ns.length > 0 && { ns }),
      node: name,
      taskId: id,
      ...(step !== undefined && { step: step + 1 }),
    };
    const numbers = notFirst(run.executions.begin(name, place));
    run.emit({ ...place, kind: 'task', body: { ...numbers, triggers } });
    const record = run.record(name, place);
    run.working.set(id, record);
    open.set(id, { place, startedAt: Date.now(), input, record, numbers, hasInner: false, hasFailed: false });
    const parent = open.get(idOf(ns.at(-1)));
    if (parent) parent.hasInner = true;
  }

  function updated(ns: string[], payload: Record<string, unknown>): void {
    const known = updates.get(ns.join('|')) ?? {};
    updates.set(ns.join('|'), { ...known, ...payload });
  }

  function ended(ns: string[], { id, name, interrupts, error }: ResultChunk): void {
    const task = open.get(id);
    if (!task) return;
    const ids = interrupts.flatMap((one) => one.id ?? []);
    if (ids.length > 0) close(id, task, { state: 'interrupted', interrupts: ids });
    // The reason is told with the run's end; where the graph has a node for errors, with the step.
    else if (error) task.hasFailed = true;
    else finish(id, task, updates.get(ns.join('|'))?.[name]);
  }

  /** A step is over: so are its tasks, those too whose results came from a cache. */
  function stepped(ns: string[], { step }: { step: number }): void {
    const key = ns.join('|');
    steps.set(key, step);
    for (const [id, task] of open) {
      if ((task.place.ns ?? []).join('|') !== key) continue;
      if (task.hasFailed) close(id, task, failure(new SkeinError('INTERNAL_ERROR')));
      else finish(id, task, updates.get(key)?.[task.place.node ?? '']);
    }
    updates.delete(key);
  }

  function finish(id: string, task: OpenTask, given: unknown): void {
    const { place, hasInner } = task;
    const { json, said, data } = nodeUpdate(given, task.input);
    for (const message of said) {
      const isTold = told.has(message.id) || told.has(message.message) || hasInner;
      if (message.id !== undefined) told.add(message.id);
      told.add(message.message);
      if (!isTold && message.text !== '')
        run.emit({
          ...place,
          kind: 'message',
          body: { delta: message.text, ...(message.id !== undefined && { id: message.id }) },
        });
    }
    // A task of the functional API is no node.
    const isRoot = place.ns === undefined && Object.hasOwn(nodes, place.node ?? '');
    if (isRoot && place.node) finishedNow.push(place.node);
    const content = said.findLast(({ text }) => text !== '')?.text ?? '';
    const spoke = isRoot && (said.length > 0 || data !== undefined);
    const output = { content, data: data ?? null, finished_at: Date.now() };
    close(id, task, { state: 'finished', update: json, ...(spoke && { output }) });
  }

  function close(
    id: string,
    { place, startedAt, record, numbers }: OpenTask,
    end: Omit<TaskEnd, 'duration_ms'>,
  ): void {
    endWithin(id, end);
    open.delete(id);
    run.working.delete(id);
    const attempt = run.executions.attempt(place.node ?? '', place);
    const time = { started_at: new Date(startedAt).toISOString(), duration_ms: Date.now() - startedAt };
    const { prompts, calls } = record;
    const work = end.state === 'interrupted' ? {} : { prompts, calls };
    run.emit({
      ...place,
      kind: 'task_end',
      body: { ...end, ...numbers, ...notFirst({ attempt, execution: 1 }), ...time, ...work },
    });
  }

  /** LangGraph tells nothing of a task that hands over to another node of a graph around it. */
  function endWithin(id: string, { state, error }: Pick<TaskEnd, 'state' | 'error'>): void {
    if (state === 'interrupted') return;
    for (const [innerId, inner] of open) {
      if (idOf(inner.place.ns?.at(-1)) !== id) continue;
      if (error) close(innerId, inner, { state, error });
      else finish(innerId, inner, undefined);
    }
  }

  const models = followModels(run);
  return {
    config: { configurable: { [STREAM]: sink }, writer, callbacks: [models.handler] },
    lastStep: () => [...finishedNow],
    failed(error) {
      const reason = models.failureOf(error);
      const ended = failure(reason instanceof SkeinError ? reason : new SkeinError('INTERNAL_ERROR'));
      for (const [id, task] of [...open].reverse()) close(id, task, ended);
      return reason;
    },
  };

  /** `config.writer` and `getWriter()` of any node. */
  function writer(data: unknown): void {
    const config = AsyncLocalStorageProviderSingleton.getRunnableConfig();
    const { place } = config ? taskOf(config) : { place: {} };
    run.emit({ ...place, kind: 'custom', body: { data: asJson(data) ?? null } });
  }
}

interface TaskChunk {
  id: string;
  name: string;
  input: unknown;
  triggers: string[];
}

interface ResultChunk extends Pick<TaskChunk, 'id' | 'name'> {
  result: unknown;
  interrupts: { id?: string; value: unknown }[];
  error: unknown;
}

function failure({ code: error_code, message }: SkeinError): Pick<TaskEnd, 'state' | 'error'> {
  return { state: 'failed', error: { error_code, message } };
}

function idOf(task: string | undefined): string {
  return task === undefined ? '' : task.slice(task.lastIndexOf(':') + 1);
}
