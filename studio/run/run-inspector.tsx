/** What a run did, beside its conversation: the graph, and the node that is looked at. */
import type { LiveRun } from './live-run.ts';

interface RunInspectorProps {
  /** Undefined: nothing has run yet. */
  runId: string | undefined;
  workflow: string | undefined;
  /** Where the conversation listens to it already. */
  live: LiveRun | undefined;
  close(): void;
}

export function RunInspector({ runId }: RunInspectorProps) {
  return <aside className="inspector">{runId}</aside>;
}
