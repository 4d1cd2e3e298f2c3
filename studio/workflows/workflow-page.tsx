/** The page of a workflow: its status, its graph as a heat map, and details. */
import { Suspense } from 'react';
import { readWorkflowStatus, readWorkflows, type Workflow } from '../data/workflows.ts';
import { BreakpointToggles } from '../graph/breakpoint-toggles.tsx';
import { GraphPanel } from '../graph/lazy-graph.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { useOwner } from '../routing/owner.ts';
import type { PageProps } from '../routing/page-props.ts';
import { address, changeQuery, useLocation } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { MissingSettings, NotReady } from './missing-settings.tsx';
import {
  AgentList,
  CurlCommand,
  ExternalServices,
  Figures,
  PromptFiles,
  RecentRuns,
} from './workflow-facts.tsx';
import { StatusChip } from './workflow-status.tsx';
import './workflows.css';

export default function WorkflowPage({ params }: PageProps) {
  const name = params.workflow ?? '';
  const { data, error } = useResource('workflows', readWorkflows);
  const entry = data?.workflows.find(({ workflow, supported_names }) =>
    [workflow, ...supported_names].includes(name),
  );
  if (entry) return <Page key={entry.workflow} entry={entry} />;
  return (
    <div className="page">
      {error && <ErrorNote error={error} retry={() => invalidate('workflows')} />}
      {!data && !error && <Loading lines={8} />}
      {data && (
        <Empty title="Workflow not found" isPage>
          <p className="small">
            <Link href={address(['workflows'])}>View all workflows</Link>
          </p>
        </Empty>
      )}
    </div>
  );
}

function Page({ entry }: { entry: Workflow }) {
  const { workflow, description } = entry;
  const { data: status } = useResource(`workflow-status:${workflow}`, () => readWorkflowStatus(workflow));
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div className="grow">
            <div className="row wrap">
              <h1>{workflow}</h1>
              <StatusChip entry={entry} status={status} />
            </div>
            <p className="muted small">{description}</p>
          </div>
          <Link className="button primary" href={address([], { workflow })}>
            <Icon name="chat" size={14} />
            Start conversation
          </Link>
        </header>
        <MissingSettings entry={entry} />
        <NotReady entry={entry} />
        <Figures status={status} />
        {entry.ready && <Graph entry={entry} />}
        <div className="facts-grid">
          <RecentRuns workflow={workflow} />
          <PromptFiles entry={entry} />
          <AgentList entry={entry} />
          <ExternalServices entry={entry} />
        </div>
        <CurlCommand entry={entry} />
      </div>
    </div>
  );
}

const selectNode = (node: string) => changeQuery({ node });

function Graph({ entry: { workflow, agents } }: { entry: Workflow }) {
  const selected = useLocation().query.get('node') ?? undefined;
  const { owner } = useOwner();
  const agent = agents.find((one) => one.name === selected?.split(':')[0]);
  return (
    <div>
      <div className="panel workflow-graph">
        <Suspense fallback={<Loading />}>
          <GraphPanel
            workflow={workflow}
            agents={[]}
            waits={false}
            ended={false}
            selected={selected}
            select={selectNode}
            heat="time"
          />
        </Suspense>
      </div>
      <p className="small muted workflow-node" aria-live="polite">
        {agent ? `${agent.name}: ${agent.description}` : 'Select a node to see its description.'}
      </p>
      {selected && owner === undefined && <BreakpointToggles workflow={workflow} node={selected} />}
    </div>
  );
}
