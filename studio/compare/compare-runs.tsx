/** Compares two runs: status, duration, tokens, prompts and outputs of each agent. */
import type { ReactNode } from 'react';
import { nodeOf } from '../data/runs/node-id.ts';
import type { AgentView } from '../data/runs/run-view.ts';
import type { Run } from '../data/runs/runs.ts';
import { TextDiff } from '../diff/text-diff.tsx';
import { durationText } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { outputIn } from '../run/output-in.ts';
import { RunStatusChip } from '../run/run-status.tsx';
import { type KnownRun, useRun } from '../run/use-run.ts';

export function CompareRuns({ left, right }: { left: string; right: string }) {
  const [a, b] = [useRun(left, undefined), useRun(right, undefined)];
  const error = a.error ?? b.error;
  if (error) return <ErrorNote error={error} />;
  if (!a.run || !b.run) return <Loading lines={8} />;
  const agents = [...new Set([...a.agents, ...b.agents].map(nameOf))];
  return (
    <>
      <div className="panel scroll-x">
        <table className="compare-table">
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">Property</span>
              </th>
              <th scope="col">
                <Link href={address(['runs', left])}>Left</Link>
              </th>
              <th scope="col">
                <Link href={address(['runs', right])}>Right</Link>
              </th>
            </tr>
          </thead>
          <tbody>
            <Row
              name="Status"
              left={<RunStatusChip status={a.run.status} />}
              right={<RunStatusChip status={b.run.status} />}
              differs={a.run.status !== b.run.status}
            />
            <TextRow name="Workflow" left={a.run.workflow} right={b.run.workflow} />
            <Row name="Duration" left={timeOf(a.run)} right={timeOf(b.run)} differs={false} />
            <TextRow name="Tokens" left={tokensOf(a.run.usage)} right={tokensOf(b.run.usage)} />
            {agents.map((name) => (
              <AgentRow key={name} name={name} left={agentIn(a, name)} right={agentIn(b, name)} />
            ))}
            {agents.map((name) => (
              <TextRow
                key={`${name} prompts`}
                name={`Prompts of ${name}`}
                left={promptText(a, name)}
                right={promptText(b, name)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {a.run.user_prompt && b.run.user_prompt && (
        <section className="stack" aria-label="Question">
          <h2>Question</h2>
          <TextDiff before={a.run.user_prompt} after={b.run.user_prompt} label="Question" />
        </section>
      )}
      {agents.map((name) => (
        <section key={name} className="stack" aria-label={name}>
          <h2 className="mono">{name}</h2>
          <TextDiff before={outputOf(a, name)} after={outputOf(b, name)} label={`Output of ${name}`} />
        </section>
      ))}
    </>
  );
}

interface RowProps {
  name: string;
  left: ReactNode;
  right: ReactNode;
  differs: boolean;
}

function Row({ name, left, right, differs }: RowProps) {
  return (
    <tr data-differs={differs}>
      <th scope="row">{name}</th>
      <td>{left}</td>
      <td>{right}</td>
    </tr>
  );
}

function TextRow({ name, left, right }: { name: string; left: string; right: string }) {
  return <Row name={name} left={left} right={right} differs={left !== right} />;
}

/** Durations always differ, so they aren't marked. */
function AgentRow({ name, left, right }: { name: string } & Record<'left' | 'right', AgentView | undefined>) {
  const differs = agentText(left, false) !== agentText(right, false);
  return <Row name={name} left={agentText(left, true)} right={agentText(right, true)} differs={differs} />;
}

function timeOf({ started_at, finished_at }: Run): string {
  return started_at && finished_at
    ? durationText(Date.parse(finished_at) - Date.parse(started_at))
    : 'not finished';
}

function tokensOf({ input_tokens, output_tokens }: Run['usage']): string {
  return `${input_tokens.toLocaleString()} in, ${output_tokens.toLocaleString()} out`;
}

/** The node's name, with the number of the execution from the second on. */
function nameOf(agent: AgentView): string {
  return agent.execution === 1 ? nodeOf(agent) : `${nodeOf(agent)} #${agent.execution}`;
}

function agentIn({ agents }: KnownRun, name: string): AgentView | undefined {
  return agents.find((agent) => nameOf(agent) === name);
}

function agentText(agent: AgentView | undefined, withTime: boolean): string {
  if (!agent) return "didn't run";
  const time = withTime && agent.durationMs !== undefined && durationText(agent.durationMs);
  return [agent.state, time, agent.usage && tokensOf(agent.usage)].filter(Boolean).join(' · ');
}

function promptText(known: KnownRun, name: string): string {
  const prompts = agentIn(known, name)?.prompts ?? [];
  return prompts
    .map(
      ({ filename, revision_id, version }) =>
        `${filename} (${version === 0 ? 'shipped' : `${revision_id} v${version ?? '?'}`})`,
    )
    .join(', ');
}

function outputOf(known: KnownRun, name: string): string {
  const agent = agentIn(known, name);
  return (agent && outputIn(known, agent)?.content) ?? agent?.text ?? '';
}
