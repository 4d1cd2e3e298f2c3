/** Statistics of runs by workflow or by version of a prompt file. */
import type { Group } from '../data/statistics.ts';
import { costsText } from '../parts/cost.tsx';
import { Link } from '../parts/link.tsx';
import { durationText } from '../parts/time.tsx';
import { address } from '../router.ts';
import { shareText } from './share-text.ts';

export function FiguresTable({ groups, label }: { groups: Group[]; label: string }) {
  const costs = groups.flatMap(({ cost }) => cost ?? []);
  const hasCosts = costs.length > 0;
  const textOf = costsText(costs);
  return (
    <div className="panel scroll-x">
      <table className="figures-table">
        <thead>
          <tr>
            <th scope="col">{label}</th>
            <Column title="Runs" />
            <Column title="Failed" />
            <Column title="Duration, p50" />
            <Column title="p95" />
            <Column title="First token, p50" />
            <Column title="p95" />
            <Column title="Tokens" />
            {hasCosts && <Column title="Cost" />}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.workflow ?? JSON.stringify(group.prompt)}>
              <th scope="row">
                <Name group={group} />
              </th>
              <td className="number">
                <Link href={address(['runs'], filterOf(group))}>{group.runs.toLocaleString()}</Link>
              </td>
              <td className="number">{shareText(group)}</td>
              <td className="number">{timeText(group.duration_ms?.p50)}</td>
              <td className="number">{timeText(group.duration_ms?.p95)}</td>
              <td className="number">{timeText(group.first_token_ms?.p50)}</td>
              <td className="number">{timeText(group.first_token_ms?.p95)}</td>
              <td className="number">{(group.input_tokens + group.output_tokens).toLocaleString()}</td>
              {hasCosts && <td className="number">{group.cost !== null && textOf(group.cost)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The filter for the runs of a group, without a limit of time. */
function filterOf({ workflow, prompt }: Group): Record<string, string | undefined> {
  if (!prompt) return { workflow };
  const { filename, revision_id, version } = prompt;
  return { prompt: filename, prompt_revision: revision_id, prompt_version: version?.toString() };
}

function Column({ title }: { title: string }) {
  return (
    <th scope="col" className="number">
      {title}
    </th>
  );
}

function Name({ group: { workflow, prompt } }: { group: Group }) {
  if (workflow !== undefined) return <Link href={address(['workflows', workflow])}>{workflow}</Link>;
  if (!prompt) return null;
  const { filename, revision_id, version } = prompt;
  return (
    <>
      <Link href={address(['prompts', revision_id, filename])}>{filename}</Link>
      <span className="muted small">
        {' '}
        {revision_id},{' '}
        {version === 0 ? 'shipped version' : version === null ? 'unknown version' : `version ${version}`}
      </span>
    </>
  );
}

function timeText(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '–' : durationText(milliseconds);
}
