/** Statistics of runs by workflow or by version of a prompt file, with a bar below each rate and percentile. */
import type { Group } from '../data/statistics.ts';
import { costsText } from '../parts/formats/cost.tsx';
import { durationText } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';
import { errorRate, shareText } from './share-text.ts';

/** All bars have the same scale, whatever the width of their columns. */
const MAX_BAR_EM = 5;

export function FiguresTable({ groups, label }: { groups: Group[]; label: string }) {
  const costs = groups.flatMap(({ cost }) => cost ?? []);
  const hasCosts = costs.length > 0;
  const textOf = costsText(costs);
  const longest = (measure: 'duration_ms' | 'first_token_ms') =>
    Math.max(...groups.map((group) => group[measure]?.p95 ?? 0));
  const [longestRun, longestWait] = [longest('duration_ms'), longest('first_token_ms')];
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
              <td className="number">
                {shareText(group)}
                <Bar share={errorRate(group)} isBad />
              </td>
              <Time milliseconds={group.duration_ms?.p50} longest={longestRun} />
              <Time milliseconds={group.duration_ms?.p95} longest={longestRun} />
              <Time milliseconds={group.first_token_ms?.p50} longest={longestWait} />
              <Time milliseconds={group.first_token_ms?.p95} longest={longestWait} />
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

/** `longest` is the duration of a whole bar, in milliseconds. */
function Time({ milliseconds, longest }: { milliseconds: number | undefined; longest: number }) {
  return (
    <td className="number">
      {milliseconds === undefined ? '–' : durationText(milliseconds)}
      <Bar share={longest === 0 ? 0 : (milliseconds ?? 0) / longest} />
    </td>
  );
}

function Bar({ share, isBad = false }: { share: number; isBad?: boolean }) {
  if (share === 0) return null;
  return (
    <span
      className={isBad ? 'bar bad' : 'bar'}
      style={{ width: `${share * MAX_BAR_EM}em` }}
      aria-hidden="true"
    />
  );
}
