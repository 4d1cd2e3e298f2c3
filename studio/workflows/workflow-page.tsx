/** One workflow: its graph, large, with the heat of its last runs. */
import { Suspense, useState } from 'react';
import { readWorkflows } from '../data/workflows.ts';
import { GraphPanel } from '../graph/lazy-graph.ts';
import type { PageProps } from '../page-props.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Loading } from '../parts/states.tsx';
import { useResource } from '../resources.ts';
import { address } from '../router.ts';
import './workflow.css';

export default function WorkflowPage({ params }: PageProps) {
  const name = params.workflow ?? '';
  const { data } = useResource('workflows', readWorkflows);
  const entry = data?.workflows.find(({ workflow }) => workflow === name);
  const [selected, select] = useState<string>();
  const agent = entry?.agents.find((one) => one.name === selected?.split(':')[0]);
  return (
    <div className="workflow-page">
      <header className="page-head">
        <div className="grow">
          <h1>{name}</h1>
          {entry && <p className="muted small">{entry.description}</p>}
        </div>
        <Link className="button" href={address(['runs'], { workflow: name })}>
          <Icon name="runs" size={14} />
          Its runs
        </Link>
      </header>
      <div className="panel workflow-graph">
        <Suspense fallback={<Loading />}>
          <GraphPanel
            key={name}
            workflow={name}
            agents={[]}
            waits={false}
            ended={false}
            selected={selected}
            select={select}
            heat="time"
          />
        </Suspense>
      </div>
      <p className="small muted workflow-node" aria-live="polite">
        {agent ? `${agent.name}: ${agent.description}` : 'Choose a node to read what it is for.'}
      </p>
    </div>
  );
}
