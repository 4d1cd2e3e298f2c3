/** What the service does with threads, runs, assistants and datasets, apart from executing turns. Opens no driver. */
import type { Logger } from 'pino';
import { assistantThreads } from '../../runtime/assistants/assistant-threads.ts';
import { type AssistantsParts, createAssistants } from '../../runtime/assistants/assistants.ts';
import { callerErasure } from '../../runtime/callers/erasure.ts';
import { continuation } from '../../runtime/continuation.ts';
import { createAskCall } from '../../runtime/datasets/ask-call.ts';
import { datasetRuns } from '../../runtime/datasets/dataset-runs.ts';
import { datasetsIn } from '../../runtime/datasets/datasets.ts';
import { resultsIn } from '../../runtime/datasets/results.ts';
import { forkRuns } from '../../runtime/fork-run.ts';
import { createFork } from '../../runtime/threads/fork.ts';
import { stateUpdates } from '../../runtime/threads/state-updates.ts';
import { threadGraphs } from '../../runtime/threads/thread-graph.ts';
import { threadStates } from '../../runtime/threads/thread-states.ts';
import { toChatResponse } from '../../server/chat/response.ts';
import type { Services } from '../../server/services.ts';
import type { OpenedState } from '../../state/opened-state.ts';

export interface OperationsParts
  extends Pick<
    Services,
    'runtime' | 'registry' | 'knowledge' | 'promptFiles' | 'promptEditor' | 'startedAt'
  > {
  state: OpenedState;
  /** The configuration of each graph's own assistant. */
  configs: AssistantsParts['configs'];
  /** The folder of the datasets. */
  datasetsPath: string;
  log: Logger;
}

export function operations(parts: OperationsParts) {
  return { ...threadOperations(parts), ...datasetOperations(parts) };
}

function threadOperations({ state, runtime, registry, knowledge, configs, startedAt }: OperationsParts) {
  const { archive, checkpointer, runs, erasure, documentAuthors } = state;
  const fork = createFork({ archive, runs, checkpointer, registry });
  const graphOf = threadGraphs({ checkpointer, registry, archive });
  const changed = runtime.threadChanged;
  return {
    fork,
    runFork: forkRuns({ runs, archive, fork, registry, runtime }),
    continueRun: continuation({ runs, archive, fork, runtime }),
    states: threadStates(graphOf),
    updates: stateUpdates({ threads: state.threads, checkpointer, registry, graphOf, changed }),
    eraseCaller: callerErasure({ erasure, removal: archive.removal, runtime, documentAuthors, knowledge }),
    assistants: createAssistants({
      store: state.assistants,
      ...{ registry, configs, startedAt },
      deleteThreads: assistantThreads({ threads: archive.threads, runtime }),
    }),
  };
}

function datasetOperations({
  runtime,
  registry,
  promptFiles,
  promptEditor,
  datasetsPath,
  log,
}: OperationsParts) {
  const askCall = createAskCall({ runtime, promptFiles, promptEditor });
  const datasets = datasetsIn(datasetsPath);
  const datasetResults = resultsIn(datasetsPath);
  return {
    askCall,
    datasets,
    datasetResults,
    datasetRuns: datasetRuns({
      ...{ datasets, results: datasetResults, runtime, registry, askCall, log },
      responseOf: toChatResponse,
    }),
  };
}
