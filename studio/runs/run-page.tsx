/** The page of a run: its graph, waterfall, events, and the selected node. */
import { Suspense, useId, useMemo, useState } from 'react';
import { CONVERSATION } from '../data/runs/node-id.ts';
import { isOver } from '../data/runs/run-ended.ts';
import { cancelRun, runTitle } from '../data/runs/runs.ts';
import { GraphPanel } from '../graph/lazy-graph.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import type { PageProps } from '../routing/page-props.ts';
import { address } from '../routing/router.ts';
import { ConversationCalls } from '../run/conversation-calls.tsx';
import { NodeDetails } from '../run/node-details.tsx';
import '../run/run.css';
import { RunSummary } from '../run/run-summary.tsx';
import { conversationCalls, useCalls } from '../run/use-calls.ts';
import { useAgentsIgnoringText, useRun } from '../run/use-run.ts';
import { useSelectedNode } from '../run/use-selected-node.ts';
import { EventLog } from './event-log.tsx';
import { RunExport } from './run-export.tsx';
import './runs.css';
import { TurnParts } from './turn-parts.tsx';
import { Waterfall } from './waterfall.tsx';

const VIEWS = [
  { value: 'waterfall', label: 'Waterfall' },
  { value: 'events', label: 'Events' },
] as const;

export default function RunPage({ params }: PageProps) {
  const runId = params.run_id ?? '';
  return <RunView key={runId} runId={runId} />;
}

function RunView({ runId }: { runId: string }) {
  const known = useRun(runId, undefined);
  const { run, view, log, parts, agents, error, waits, succeeded } = known;
  const { owner } = useOwner();
  const stableAgents = useAgentsIgnoringText(agents);
  const recorded = useCalls(known);
  const asides = useMemo(() => conversationCalls(recorded), [recorded]);
  const [problem, setProblem] = useState<Error>();
  const { chosen, choose } = useSelectedNode(stableAgents);
  const [shown, setShown] = useState<(typeof VIEWS)[number]['value']>('waterfall');
  const id = useId();
  if (!run) {
    return (
      <div className="page">
        <h1 className="visually-hidden">Run</h1>
        {error ? <ErrorNote error={error} /> : <Loading lines={8} />}
      </div>
    );
  }
  return (
    <div className="run-page">
      <header className="run-head">
        <div className="grow">
          <h1 className="cut" dir="auto">
            {runTitle(run)}
          </h1>
          <p className="muted small cut">
            {run.workflow} · <Ago at={run.created_at} /> · <code>{runId}</code>
          </p>
          <TurnParts runs={parts.map((part) => part.run)} current={runId} />
        </div>
        {!isOver(run) && owner === undefined && (
          <button type="button" className="button" onClick={() => cancelRun(runId).catch(setProblem)}>
            <Icon name="stop" size={14} />
            Cancel
          </button>
        )}
        <Link
          className="button"
          href={address(['threads', run.thread_id], {
            run: runId,
            of: owner === ALL_CALLERS ? run.owner : '',
          })}
        >
          <Icon name="chat" size={14} />
          Conversation
        </Link>
        <Link className="button" href={address(['compare'], { left: `run:${runId}` })}>
          <Icon name="compare" size={14} />
          Compare
        </Link>
        <RunExport runId={runId} known={known} />
      </header>
      <section className="run-graph panel" aria-label="Graph">
        <Suspense fallback={<Loading />}>
          <GraphPanel
            workflow={run.workflow}
            agents={stableAgents}
            waits={waits}
            ended={succeeded}
            stops={view?.response?.stopped_at}
            selected={chosen.node}
            select={choose}
          />
        </Suspense>
      </section>
      <section className="run-time panel" aria-label="Timeline">
        <Tabs id={id} label="Timeline" tabs={VIEWS} value={shown} choose={setShown} />
        <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown}`} className="run-time-body">
          {shown === 'waterfall' ? (
            <Waterfall {...{ parts, waits, chosen, choose }} asides={asides} />
          ) : (
            <EventLog log={log} count={view?.lastEventId ? log.length : 0} />
          )}
        </div>
      </section>
      <section className="run-details panel" aria-label="Details">
        <h2 className="visually-hidden">Details</h2>
        {problem && <ErrorNote error={problem} />}
        <RunSummary known={known} />
        {chosen.node === CONVERSATION && <ConversationCalls known={known} />}
        {chosen.node && chosen.node !== CONVERSATION && (
          <NodeDetails key={chosen.node} {...{ known, chosen, choose }} />
        )}
      </section>
    </div>
  );
}
