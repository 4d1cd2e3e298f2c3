/** What executing a turn takes, and what it returns. */
import type { BaseCheckpointSaver, BaseStore } from '@langchain/langgraph-checkpoint';
import type { DataSources } from '../../../graphs/authoring/data-sources.ts';
import type { RunContext } from '../../../graphs/authoring/run-context.ts';
import type { Output } from '../../../state/conversation.ts';
import type { Run, TurnResult } from '../../../state/runs.ts';
import type { MemorySize, Thread } from '../../../state/threads.ts';
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

/** What is known about a run before its prompt is read. */
type RunStart = Omit<
  RunContext,
  'input' | 'promptRevision' | 'opened' | 'sources' | 'chat' | 'priceOf' | 'temperature' | 'usedModel'
>;

export interface Execution {
  run: Pick<Run, 'runId' | 'request' | 'createdAt'>;
  thread: Thread;
  /** Presents the checkpoint that the run starts from as the newest, and stores the run's own. */
  saver: BaseCheckpointSaver;
  /** What the graph keeps beyond the thread. */
  store: BaseStore;
  workflow: RunnableWorkflow;
  context: RunStart;
  journal: Pick<RunLog, 'outputs' | 'asking'>;
  /** The turn's outputs from before a person was asked. */
  before: Output[];
  /** The run's own newest checkpoint, if an earlier process left one: the run continues from there. */
  checkpoint?: string | undefined;
}

export interface Executed {
  result: TurnResult;
  memory: MemorySize;
  /** The graph's output; null for a workflow that is made with `workflow()`. */
  values: unknown;
}
