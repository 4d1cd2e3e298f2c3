/** The list of prompt files by revision, with the workflows that use them. */
import { useState } from 'react';
import { DEFAULT_REVISION, listFiles, listRevisions, type Revision } from '../data/prompts.ts';
import { readWorkflows, type Workflow } from '../data/workflows.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import type { PageProps } from '../routing/page-props.ts';
import { address } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { FileList } from './file-list.tsx';
import { NewFileDialog } from './new-file-dialog.tsx';
import './prompts.css';

export default function PromptsPage({ query }: PageProps) {
  const { data: revisions, error } = useResource('prompt-revisions', listRevisions);
  const { data } = useResource('workflows', readWorkflows);
  const shown = query.get('revision') ?? DEFAULT_REVISION;
  const [creating, setCreating] = useState<'file' | 'revision'>();
  const { data: known } = useResource('prompt-names', () => listFiles(DEFAULT_REVISION));
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div className="grow">
            <h1>Prompts</h1>
            <p className="muted small">Saved changes apply to the next model call.</p>
          </div>
          <div className="row">
            <button type="button" className="button" onClick={() => setCreating('revision')}>
              <Icon name="plus" size={14} />
              New revision
            </button>
            <button type="button" className="button" onClick={() => setCreating('file')}>
              <Icon name="plus" size={14} />
              New file
            </button>
          </div>
        </header>
        {error && <ErrorNote error={error} retry={() => invalidate('prompt-revisions')} />}
        {!revisions && !error && <Loading lines={8} />}
        {revisions && (
          <div className="revisions">
            <nav aria-label="Revisions">
              <ul className="panel revision-list">
                {revisions.map((revision) => (
                  <Row
                    key={revision.revision_id}
                    revision={revision}
                    isShown={revision.revision_id === shown}
                    workflows={data?.workflows ?? []}
                  />
                ))}
              </ul>
            </nav>
            {revisions.some(({ revision_id }) => revision_id === shown) ? (
              <FileList key={shown} revision={shown} workflows={data?.workflows ?? []} />
            ) : (
              <Empty title={`Revision ${shown} doesn't exist yet`}>
                <p className="small">
                  Workflows with this revision use <code>default</code> until it has a file. Create the first
                  one with “New revision”.
                </p>
              </Empty>
            )}
          </div>
        )}
      </div>
      {creating && (
        <NewFileDialog
          revision={creating === 'file' ? shown : ''}
          known={known ?? []}
          close={() => setCreating(undefined)}
        />
      )}
    </div>
  );
}

interface RowProps {
  revision: Revision;
  isShown: boolean;
  workflows: Workflow[];
}

function Row({ revision: { revision_id, files, source }, isShown, workflows }: RowProps) {
  const users = workflows.filter(({ prompt_revision }) => prompt_revision === revision_id);
  return (
    <li>
      <Link
        href={address(['prompts'], { revision: revision_id })}
        aria-current={isShown ? 'page' : undefined}
      >
        <strong className="cut">{revision_id}</strong>
        <span className="muted small">
          {files} {files === 1 ? 'file' : 'files'}, {source.replace('+', ' and ')}
        </span>
        <span className="muted small">
          {users.length === 0
            ? 'not used'
            : users.length === workflows.length
              ? 'used by all workflows'
              : `used by ${users.map(({ workflow }) => workflow).join(', ')}`}
        </span>
      </Link>
    </li>
  );
}
