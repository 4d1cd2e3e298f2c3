/** The parameters and the result of executing a turn. */
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { DataSources } from '../../../graphs/authoring/run/data-sources.ts';
import type { RunContext } from '../../../graphs/authoring/run/run-context.ts';
import type { Output } from '../../../state/threads/conversation.ts';
import type { Run, TurnResult } from '../../../state/threads/runs.ts';
import type { MemorySize, Thread } from '../../../state/threads/threads.ts';
import type { Models } from '../../../tools/models/models.ts';
import type { RunLog } from '../../journal/run-log.ts';
import type { RunnableWorkflow } from '../../workflows/registered.ts';
import type { followupQuestions } from './followups.ts';
import type { TurnMemory } from './memory.ts';

export interface ExecuteParts {
  models: Models;
  memory: TurnMemory;
  followups: ReturnType<typeof followupQuestions>;
  recursionLimit: number;
  sources: DataSources;
}

/** The part of a run's context that is known before its prompt is read. */
type RunStart = Omit<
  RunContext,
  'input' | 'promptRevision' | 'opened' | 'sources' | 'chat' | 'priceOf' | 'temperature' | 'usedModel'
>;

export interface Execution {
  run: Pick<Run, 'runId' | 'request' | 'createdAt'>;
  thread: Thread;
  /** Returns the checkpoint from which the run starts as the newest one, and stores the run's checkpoints. */
  saver: BaseCheckpointSaver;
  /** The graph's store, whose items outlive the thread. */
  store: BaseStore;
  workflow: RunnableWorkflow;
  context: RunStart;
  journal: Pick<RunLog, 'outputs' | 'asking'>;
  /** The outputs of the turn from before its interrupt. */
  before: Output[];
  /** The run's own newest checkpoint, if an earlier process left one: the run continues from there. */
  checkpoint?: string | undefined;
}

export interface Executed {
  result: TurnResult;
  memory: MemorySize;
  /** The graph's output; null for a workflow built with `workflow()`. */
  values: unknown;
}
