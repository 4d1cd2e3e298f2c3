/** The prompt files that a node rendered, with revision and version. */
import type { AgentView } from '../data/runs/run-view.ts';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';

export function PromptList({ prompts }: { prompts: AgentView['prompts'] }) {
  if (prompts.length === 0) return <p className="muted small">No prompt files.</p>;
  return (
    <ul className="stack">
      {prompts.map(({ filename, revision_id, version, sha256 }) => (
        <li key={`${revision_id} ${filename} ${sha256}`}>
          <Link href={address(['prompts', revision_id, filename])}>
            <code>{filename}</code>
          </Link>
          <p className="muted small">
            revision {revision_id} · {versionText(version)} · <code>{sha256.slice(0, 12)}</code>
          </p>
        </li>
      ))}
    </ul>
  );
}

function versionText(version: number | null): string {
  if (version === null) return 'unknown version';
  return version === 0 ? 'shipped version' : `version ${version}`;
}
