/** Follows a graph's run through LangGraph: the tasks of all its nodes, and what nodes write. */
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { Callbacks } from '@langchain/core/callbacks/manager';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { SkeinError } from '../../../state/errors.ts';
import type { GraphLocation, TaskEnd } from '../../../state/threads/events.ts';
import type { WorkRecord } from '../../../state/threads/run-trace.ts';
import { notFirst } from '../../authoring/run/agent-record.ts';
import { type RunContext, taskOf } from '../../authoring/run/run-context.ts';
import { asJson } from '../message-json.ts';
import { followModels } from './model-calls.ts';
import { nodeUpdate, writtenBy } from './node-update.ts';
import { callbacksFor } from './quiet-callbacks.ts';
import {
  type CheckpointChunk,
  idOf,
  nameIn,
  pathOf,
  type ResultChunk,
  stepOf,
  type TaskChunk,
} from './stream-chunks.ts';
import type { StreamRecord } from './stream-record.ts';
import { reportMessages, reportTexts } from './unstreamed-messages.ts';

export interface FollowedGraph {
  /** Invoke the graph with these to follow it. */
  config: {
    configurable: Record<string, unknown>;
    writer: (data: unknown) => void;
    callbacks: Callbacks;
  };
  /** The handlers in `config.callbacks`. */
  handlers: BaseCallbackHandler[];
  /** The nodes that finished in the last step of the graph at `path`. */
  lastStep: LastStep;
  /** Ends the run and all its unfinished tasks. Returns the error to report. */
  failed(error: unknown): unknown;
}

/** `path`: the names of the nodes that the graph is nested in; [] at the root. */
export type LastStep = (path: string[]) => string[];

/** Receives each chunk of LangGraph's stream, including those of subgraphs, before the node continues. */
interface StreamSink {
  modes: Set<string>;
  push(chunk: [ns: string[], mode: string, payload: unknown]): void;
}

// LangGraph's key for the stream of subgraphs. An argument of `stream` would receive chunks some microtasks later, so that a
// token could arrive before the start of its node.
const STREAM = '__pregel_stream';
/** The name of the error with which a task continues in the parent graph. */
const LEFT = 'ParentCommand';
/** Marks cached chunks of the stream of updates. */
const METADATA = '__metadata__';

interface OpenTask {
  location: GraphLocation;
  startedAt: number;
  input: unknown;
  record: WorkRecord;
  numbers: Pick<TaskEnd, 'attempt' | 'execution'>;
  hasFailed: boolean;
}

export interface FollowOptions {
  graph: object;
  /** The nodes of the root graph, whose results are the turn's outputs. */
  nodes: object;
  /** Nodes of the root graph that report their own work, including that of their subgraphs. */
  own?: ReadonlySet<string>;
  /** Whether to report messages that a node returns without streaming them. Default: true. */
  texts?: boolean;
  /** Tasks that are listed but do not run. */
  finished: ReadonlySet<string>;
  /** Whether model tokens are requested; if so, models stream. */
  tokens: boolean;
  /** Which other parts of LangGraph's stream the log records. */
  record?: StreamRecord | undefined;
}

export function followGraph(run: RunContext, options: FollowOptions): FollowedGraph {
  const { graph, nodes, own, finished, tokens, texts = true, record } = options;
  const open = new Map<string, OpenTask>();
  /** The current superstep of each graph, by namespace. */
  const steps = new Map<string, number>();
  /** The latest updates of a graph's nodes, by namespace. */
  const updates = new Map<string, Record<string, unknown>>();
  /** The nodes that finished in a graph's last step, by its path. */
  const lastSteps = new Map<string, string[]>();

  const sink: StreamSink = {
    modes: new Set(['tasks', 'updates', ...(record?.modes ?? [])]),
    push([ns, mode, payload]) {
      follow(ns, mode, payload);
      record?.push(ns, mode, payload);
    },
  };

  function follow(ns: string[], mode: string, payload: unknown): void {
    const [outermost] = ns;
    if (outermost !== undefined && own?.has(nameIn(outermost))) return;
    if (mode === 'checkpoints') stepped(ns, stepOf(payload as CheckpointChunk));
    else if (mode === 'updates') updated(ns, payload as Record<string, unknown>);
    else if (mode === 'tasks')
      (payload as object & { result?: unknown }).result === undefined
        ? started(ns, payload as TaskChunk)
        : ended(ns, payload as ResultChunk);
  }

  function started(ns: string[], { id, name, input, triggers }: TaskChunk): void {
    if (open.has(id) || finished.has(id) || (ns.length === 0 && own?.has(name))) return;
    lastSteps.delete(pathOf(ns));
    const step = steps.get(ns.join('|'));
    const location: GraphLocation = {
      ...(ns.length > 0 && { ns }),
      node: name,
      taskId: id,
      ...(step !== undefined && { step: step + 1 }),
    };
    const numbers = notFirst(run.executions.begin(name, location));
    const cause = run.causesOf(location, triggers);
    run.emit({ ...location, kind: 'task', body: { ...numbers, triggers, ...cause } });
    const record = run.record(name, location);
    run.working.set(id, record);
    open.set(id, { location, startedAt: Date.now(), input, record, numbers, hasFailed: false });
  }

  function updated(ns: string[], { [METADATA]: about, ...payload }: Record<string, unknown>): void {
    const known = updates.get(ns.join('|')) ?? {};
    updates.set(ns.join('|'), { ...known, ...payload });
    if ((about as { cached?: boolean } | undefined)?.cached) finishCached(ns, payload);
  }

  /** Ends tasks whose results came from the graph's cache, because the stream has no results for them. */
  function finishCached(ns: string[], payload: Record<string, unknown>): void {
    for (const [node, given] of Object.entries(payload)) {
      const [found] = inStep(ns).filter(([, { location }]) => location.node === node);
      if (found) finish(...found, given);
    }
  }

  function inStep(ns: string[]): [string, OpenTask][] {
    return [...open].filter(([, { location }]) => (location.ns ?? []).join('|') === ns.join('|'));
  }

  function ended(ns: string[], { id, name, interrupts, error, result }: ResultChunk): void {
    const task = open.get(id);
    if (!task) return;
    const ids = interrupts.flatMap((one) => one.id ?? []);
    if (ids.length > 0) close(id, task, { state: 'interrupted', interrupts: ids });
    else if (nameOf(error) === LEFT) close(id, task, { state: 'finished' });
    // The error is reported at the end of the run or, if the graph has an error handler node, at the end of the step.
    else if (error) task.hasFailed = true;
    else finish(id, task, writtenBy(result, updates.get(ns.join('|'))?.[name]));
  }

  /** Ends a step and its tasks, including those whose results came from a cache. */
  function stepped(ns: string[], step: number): void {
    const key = ns.join('|');
    steps.set(key, step);
    for (const [id, task] of inStep(ns)) {
      if (task.hasFailed) close(id, task, failure(new SkeinError('INTERNAL_ERROR')));
      else finish(id, task, updates.get(key)?.[task.location.node ?? '']);
    }
    updates.delete(key);
  }

  function finish(id: string, task: OpenTask, given: unknown): void {
    const { location } = task;
    leave(id);
    const { json, answers, messages, data } = nodeUpdate(given, task.input);
    if (record?.messages) reportMessages(run, messages, location);
    else reportTexts(run, answers, { location, emits: texts });
    // A task of the functional API is not a node.
    const isRoot = location.ns === undefined && Object.hasOwn(nodes, location.node ?? '');
    const path = pathOf(location.ns ?? []);
    if (location.node) lastSteps.set(path, [...(lastSteps.get(path) ?? []), location.node]);
    const content = answers.findLast(({ text }) => text !== '')?.text ?? '';
    const spoke = isRoot && (answers.length > 0 || data !== undefined);
    const output = { content, data: data ?? null, finished_at: Date.now() };
    close(id, task, { state: 'finished', update: json, ...(spoke && { output }) });
  }

  /** Ends the tasks inside a finished one, such as those of a subgraph whose failure the node has caught. */
  function leave(id: string): void {
    for (const [innerId, inner] of [...open].reverse()) {
      if (!(inner.location.ns ?? []).some((task) => idOf(task) === id)) continue;
      if (inner.hasFailed) close(innerId, inner, failure(new SkeinError('INTERNAL_ERROR')));
      else close(innerId, inner, { state: 'finished' });
    }
  }

  function close(
    id: string,
    { location, startedAt, record, numbers }: OpenTask,
    end: Omit<TaskEnd, 'duration_ms'>,
  ): void {
    open.delete(id);
    // If the node called an agent, the agent reports its calls.
    if (!run.working.delete(id)) return;
    const attempt = run.executions.attempt(location.node ?? '', location);
    const time = { started_at: new Date(startedAt).toISOString(), duration_ms: Date.now() - startedAt };
    const { prompts, calls } = record;
    const work = end.state === 'interrupted' ? {} : { prompts, calls };
    run.emit({
      ...location,
      kind: 'task_end',
      body: { ...end, ...numbers, ...notFirst({ attempt, execution: 1 }), ...time, ...work },
    });
  }

  const models = followModels(run, { tokens, workingOnly: own !== undefined });
  return {
    config: { configurable: { [STREAM]: sink }, writer, callbacks: callbacksFor(graph, models.quiet) },
    handlers: models.quiet.handlers,
    lastStep: (path) => lastSteps.get(path.join('|')) ?? [],
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
    const { location } = config ? taskOf(config) : { location: {} };
    run.emit({ ...location, kind: 'custom', body: { data: asJson(data) ?? null } });
  }
}

function failure({ code: error_code, message }: SkeinError): Pick<TaskEnd, 'state' | 'error'> {
  return { state: 'failed', error: { error_code, message } };
}

function nameOf(error: unknown): string | undefined {
  return (error as { name?: string } | null)?.name;
}
