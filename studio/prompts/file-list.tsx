/** The files of a revision, and those that it inherits from `default`. */
import { DEFAULT_REVISION, listFiles, uses } from '../data/prompts.ts';
import type { Workflow } from '../data/workflows.ts';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';

interface FileListProps {
  revision: string;
  workflows: Workflow[];
}

export function FileList({ revision, workflows }: FileListProps) {
  const { data, error } = useResource(`prompt-files:${revision}`, () => readBoth(revision));
  if (error) return <ErrorNote error={error} retry={() => invalidate('prompt-files:')} />;
  if (!data) return <Loading lines={8} />;
  const missing = data.shipped.filter((file) => !data.own.includes(file));
  return (
    <div className="stack">
      <Files label={`Files of revision ${revision}`} {...{ revision, workflows, files: data.own }} />
      {missing.length > 0 && (
        <>
          <h2>Inherited from default</h2>
          <Files label="Files of default" {...{ revision, workflows, files: missing }} />
        </>
      )}
    </div>
  );
}

async function readBoth(revision: string) {
  const [own, shipped] = await Promise.all([
    listFiles(revision),
    revision === DEFAULT_REVISION ? [] : listFiles(DEFAULT_REVISION),
  ]);
  return { own, shipped };
}

interface FilesProps extends FileListProps {
  label: string;
  files: string[];
}

function Files({ label, revision, workflows, files }: FilesProps) {
  return (
    <ul className="panel prompt-files" aria-label={label}>
      {files.map((file) => {
        const users = workflows.filter((workflow) => uses(workflow, file));
        return (
          <li key={file}>
            <Link href={address(['prompts', revision, file])}>
              <code>{file}</code>
            </Link>
            <span className="muted small">
              {users.length > 1 && users.length === workflows.length
                ? 'All workflows'
                : users.map(({ workflow }) => workflow).join(', ')}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
