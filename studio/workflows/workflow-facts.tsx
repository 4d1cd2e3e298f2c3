/** The details of a workflow: statistics, agents, prompt files, external services, recent runs and a curl command. */
import { listRuns, runTitle } from '../data/runs/runs.ts';
import type { Workflow, WorkflowStatus } from '../data/workflows.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Ago, durationText } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { RunStatusChip } from '../run/run-status.tsx';
import { invalidate, useResource } from '../service/resources.ts';
import { latencyText, runsText } from './workflow-status.tsx';

export function Figures({ status }: { status: WorkflowStatus | undefined }) {
  return (
    <dl className="figures-row">
      <div>
        <dt>Last 100 runs</dt>
        <dd>{status ? runsText(status) : ' '}</dd>
      </div>
      <div>
        <dt>Duration, p50</dt>
        <dd>{status ? latencyText(status.latency_ms.p50) : ' '}</dd>
      </div>
      <div>
        <dt>Duration, p95</dt>
        <dd>{status ? latencyText(status.latency_ms.p95) : ' '}</dd>
      </div>
      <div>
        <dt>Last run</dt>
        <dd>{status ? status.last_run_at ? <Ago at={status.last_run_at} /> : '–' : ' '}</dd>
      </div>
    </dl>
  );
}

export function CurlCommand({ entry: { test_command } }: { entry: Workflow }) {
  if (test_command === null) return null;
  return (
    <section className="panel facts-panel" aria-label="Try it">
      <div className="row">
        <h2 className="grow">Try it with curl</h2>
        <CopyButton text={test_command} label="Copy command" />
      </div>
      <pre className="wrapped">{test_command}</pre>
    </section>
  );
}

export function AgentList({ entry: { agents } }: { entry: Workflow }) {
  return (
    <section className="panel facts-panel" aria-label="Agents">
      <h2>Agents</h2>
      {agents.length === 0 && (
        <p className="muted small">Unknown, because the workflow couldn't be loaded.</p>
      )}
      <dl className="stack small">
        {agents.map(({ name, description }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd className="muted">{description}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function PromptFiles({ entry: { prompt_files, prompt_revision } }: { entry: Workflow }) {
  return (
    <section className="panel facts-panel" aria-label="Prompt files">
      <h2>
        Prompt files of revision{' '}
        <Link href={address(['prompts'], { revision: prompt_revision })}>{prompt_revision}</Link>
      </h2>
      {prompt_files.length === 0 && <p className="muted small">No prompt files.</p>}
      <ul className="stack small">
        {prompt_files.map((file) => (
          <li key={file} className="cut">
            <Link href={address(['prompts', prompt_revision, file])}>
              <code>{file}</code>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ExternalServices({ entry: { external_services, supported_names } }: { entry: Workflow }) {
  return (
    <section className="panel facts-panel" aria-label="External services">
      <h2>External services</h2>
      <ul className="stack small">
        {external_services.map((service) => (
          <li key={service}>{service}</li>
        ))}
      </ul>
      <p className="muted small">
        Its <code>conversation_flow</code> in requests is{' '}
        {supported_names.map((name, index) => (
          <span key={name}>
            {index > 0 && ' or '}
            <code>{name}</code>
          </span>
        ))}
        .
      </p>
    </section>
  );
}

const MAX_SHOWN = 8;

export function RecentRuns({ workflow }: { workflow: string }) {
  const { data, error } = useResource(`runs:of:${workflow}`, () => listRuns({ workflow }));
  return (
    <section className="panel facts-panel" aria-label="Recent runs">
      <div className="row">
        <h2 className="grow">Recent runs</h2>
        <Link className="button small quiet" href={address(['runs'], { workflow })}>
          View all
        </Link>
      </div>
      {error && <ErrorNote error={error} retry={() => invalidate('runs:of:')} />}
      {!data && !error && <Loading />}
      {data?.runs.length === 0 && (
        <p className="muted small">
          No runs yet. <Link href={address([], { workflow })}>Start a conversation</Link>
        </p>
      )}
      <ul className="recent-runs">
        {data?.runs
          .slice(0, MAX_SHOWN)
          .map(({ run_id, status, title, started_at, finished_at, created_at }) => (
            <li key={run_id}>
              <RunStatusChip status={status} />
              <Link className="cut" href={address(['runs', run_id])}>
                {runTitle({ title })}
              </Link>
              <span className="muted">
                {started_at && finished_at && durationText(Date.parse(finished_at) - Date.parse(started_at))}
              </span>
              <span className="muted">
                <Ago at={created_at} />
              </span>
            </li>
          ))}
      </ul>
    </section>
  );
}
