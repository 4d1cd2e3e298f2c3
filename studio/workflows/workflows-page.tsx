/** The list of workflows, with status, missing settings and durations. */
import { readWorkflowStatus, readWorkflows, type Workflow, type WorkflowStatus } from '../data/workflows.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { latencyText, runsText, StatusChip } from './workflow-status.tsx';
import './workflows.css';

export default function WorkflowsPage() {
  const { data, error } = useResource('workflows', readWorkflows);
  const { total = 0, unconfigured = 0 } = data?.summary ?? {};
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <h1 className="grow">Workflows</h1>
          <p className="muted small">
            {data &&
              (unconfigured === 0
                ? `${total}, all configured`
                : `${unconfigured} of ${total} not configured`)}
          </p>
        </header>
        {error && <ErrorNote error={error} retry={() => invalidate('workflows')} />}
        {!data && !error && <Loading lines={8} />}
        {data?.workflows.length === 0 && (
          <Empty title="No workflows yet">
            <p className="small">
              Create <code>graphs/&lt;name&gt;/graph.ts</code> next to <code>config.yml</code>, then restart
              the service.
            </p>
          </Empty>
        )}
        <ul className="cards">
          {data?.workflows.map((entry) => (
            <Card key={entry.workflow} entry={entry} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function Card({ entry }: { entry: Workflow }) {
  const { workflow, description, agents, missing_config, source } = entry;
  const { data: status } = useResource(`workflow-status:${workflow}`, () => readWorkflowStatus(workflow));
  return (
    <li className="panel card">
      <div className="row wrap">
        <h2 className="grow">
          <Link href={address(['workflows', workflow])}>{workflow}</Link>
        </h2>
        {source === 'project' && <span className="chip">Project</span>}
        <StatusChip entry={entry} status={status} />
      </div>
      <p className="small">{description}</p>
      {missing_config.length > 0 && (
        <p className="small missing">
          Missing: <code>{missing_config.join(', ')}</code>
        </p>
      )}
      <p className="muted small">
        {agents.length} {agents.length === 1 ? 'agent' : 'agents'}
        {agents.length > 0 && `: ${agents.map(({ name }) => name).join(', ')}`}
      </p>
      <Figures status={status} />
    </li>
  );
}

/** Keeps its height while the figures load. */
function Figures({ status }: { status: WorkflowStatus | undefined }) {
  return (
    <p className="muted small figures">
      {status ? (
        <>
          <span>{runsText(status)}</span>
          {status.latency_ms.p50 !== null && (
            <span>
              p50 {latencyText(status.latency_ms.p50)}, p95 {latencyText(status.latency_ms.p95)}
            </span>
          )}
          {status.last_run_at && (
            <span>
              Last run <Ago at={status.last_run_at} />
            </span>
          )}
        </>
      ) : (
        <span> </span>
      )}
    </p>
  );
}
