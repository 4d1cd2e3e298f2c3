/** The panel beside a conversation: the graph of a run, and the details of the selected node. */
import { Suspense } from 'react';
import { BreakpointToggles } from '../graph/breakpoint-toggles.tsx';
import { GraphPanel } from '../graph/lazy-graph.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { useOwner } from '../routing/owner.ts';
import { address } from '../routing/router.ts';
import { ConversationCalls } from './conversation-calls.tsx';
import type { LiveRun } from './live-run.ts';
import { NodeDetails } from './node-details.tsx';
import { RunSummary } from './run-summary.tsx';
import { useAgentsIgnoringText, useRun } from './use-run.ts';
import { useSelectedNode } from './use-selected-node.ts';
import './run.css';

interface RunInspectorProps {
  /** Undefined if nothing has run yet. */
  runId: string | undefined;
  workflow: string | undefined;
  /** Set if the conversation already reads the run's stream. */
  live: LiveRun | undefined;
  close(): void;
}

export function RunInspector({ runId, workflow, live, close }: RunInspectorProps) {
  const known = useRun(runId, live);
  const { run, view, agents, error, waits, succeeded } = known;
  const stableAgents = useAgentsIgnoringText(agents);
  const { chosen, choose } = useSelectedNode(stableAgents);
  const { owner } = useOwner();
  const name = run?.workflow ?? view?.run?.workflow ?? workflow;
  return (
    <aside className="inspector" aria-label="Run details">
      <header className="inspector-head">
        <h2 className="grow">{runId ? 'Run' : 'Graph'}</h2>
        {runId && (
          <Link className="button small quiet" href={address(['runs', runId])}>
            <Icon name="runs" size={14} />
            Open
          </Link>
        )}
        <button type="button" className="button small icon quiet" aria-label="Close" onClick={close}>
          <Icon name="close" size={14} />
        </button>
      </header>
      {error && !view && <ErrorNote error={error} />}
      <div className="inspector-graph">
        {name && (
          <Suspense fallback={<Loading />}>
            <GraphPanel
              key={name}
              workflow={name}
              agents={stableAgents}
              waits={waits}
              ended={succeeded}
              stops={view?.response?.stopped_at}
              selected={chosen.node}
              select={choose}
            />
          </Suspense>
        )}
      </div>
      <div className="inspector-details">
        {runId && <RunSummary known={known} />}
        {runId && chosen.node && (
          <NodeDetails key={`${runId} ${chosen.node}`} {...{ known, chosen, choose }} />
        )}
        {runId && <ConversationCalls known={known} />}
        {!runId && <p className="muted small">Send a message to see the nodes as they run.</p>}
        {!runId && name && chosen.node && owner === undefined && (
          <section className="stack" aria-label={`Node ${chosen.node}`}>
            <h3 className="mono cut">{chosen.node.replaceAll(':', ' › ')}</h3>
            <BreakpointToggles workflow={name} node={chosen.node} />
          </section>
        )}
      </div>
    </aside>
  );
}
