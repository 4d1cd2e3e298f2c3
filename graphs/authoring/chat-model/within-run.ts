/** Finds the run and the agent that a call of a chat model belongs to. */
import type { RunnableConfig } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import type { GraphLocation } from '../../../state/threads/events.ts';
import { emptyRecord } from '../../../state/threads/run-trace.ts';
import { type AgentRecord, agentRecord, recordIn } from '../run/agent-record.ts';
import { type RunContext, runIn, taskOf } from '../run/run-context.ts';

export interface WithinRun {
  run: RunContext;
  location: GraphLocation;
  /** The current agent or, outside of agents, the node. */
  record: AgentRecord;
  /** Whether its text is left out of the stream. */
  quiet: boolean;
}

/** The config of a call, or of the calling node if the call has none. */
export function configWithRun(given: RunnableConfig | undefined): RunnableConfig | undefined {
  return [given, AsyncLocalStorageProviderSingleton.getRunnableConfig()].find(
    (config) => config && runIn(config),
  );
}

/** The run that a call of `what` belongs to. Throws outside of a run. */
export function runAround(
  given: RunnableConfig | undefined,
  what: string,
): { run: RunContext; config: RunnableConfig } {
  const config = configWithRun(given);
  const run = config && runIn(config);
  if (!run)
    throw new Error(`${what} works only in a run: call it in a node of a graph that the service runs`);
  return { run, config };
}

/** Throws outside of a run. */
export function withinRun(given: RunnableConfig | undefined): WithinRun {
  const { run, config } = runAround(given, 'chatModel()');
  const { location } = taskOf(config);
  const whole = run.working.get(location.taskId ?? '') ?? emptyRecord();
  const record =
    recordIn(config) ?? agentRecord(run, whole, { agent: location.node ?? 'chat_model', step: null });
  return { run, location, record, quiet: QUIET.some((tag) => config.tags?.includes(tag)) };
}

// LangGraph's own tags: its stream of messages also skips calls with one of them.
const QUIET = ['nostream', 'langsmith:nostream'];
