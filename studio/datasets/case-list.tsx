/** The cases of a dataset. */
import { useState } from 'react';
import { type Case, changeCase, type Dataset, questionOf, removeCase } from '../data/datasets.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { invalidate } from '../service/resources.ts';
import { CaseDialog } from './case-dialog.tsx';
import { ExpectationView } from './expectation-view.tsx';

export function CaseList({ dataset: { dataset, cases } }: { dataset: Dataset }) {
  const [edited, edit] = useState<Case>();
  const [error, setError] = useState<Error>();

  async function remove(one: Case) {
    if (!confirm(`Delete this case from ${dataset}?\n\n${questionOf(one).slice(0, 300)}`)) return;
    try {
      await removeCase(dataset, one);
      setError(undefined);
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    invalidate('dataset');
  }
  if (cases.length === 0) return <Empty title="No cases yet" />;
  return (
    <>
      {error && <ErrorNote error={error} />}
      <ol className="stack" aria-label="Cases">
        {cases.map((one) => (
          <li key={`${one.line} ${one.case_id}`} className="panel case">
            <CaseItem one={one} edit={() => edit(one)} remove={() => void remove(one)} />
          </li>
        ))}
      </ol>
      {edited && (
        <CaseDialog
          title="Edit case"
          before={edited}
          save={async (made) => {
            await changeCase(dataset, edited, made);
            invalidate('dataset');
          }}
          close={() => edit(undefined)}
        />
      )}
    </>
  );
}

function CaseItem({ one, edit, remove }: { one: Case; edit(): void; remove(): void }) {
  const { line, id, call, thread, tags = [], notes, source } = one;
  const question = questionOf(one);
  return (
    <>
      <div className="row wrap">
        <strong className="grow words" dir="auto">
          {question}
        </strong>
        <button
          type="button"
          className="button small icon quiet"
          aria-label={`Edit case: ${question.slice(0, 80)}`}
          onClick={edit}
        >
          <Icon name="prompt" size={14} />
        </button>
        <button
          type="button"
          className="button small icon quiet"
          aria-label={`Delete case: ${question.slice(0, 80)}`}
          onClick={remove}
        >
          <Icon name="trash" size={14} />
        </button>
      </div>
      <ExpectationView expect={one.expect} />
      {notes && (
        <p className="small words" dir="auto">
          {notes}
        </p>
      )}
      <p className="row wrap muted small">
        <code>{id ?? `line ${line}`}</code>
        {call && <span>Model call</span>}
        {thread && <span>conversation {thread}</span>}
        {tags.map((tag) => (
          <span key={tag} className="chip">
            {tag}
          </span>
        ))}
        {source && <Link href={address(['runs', source.run_id])}>Source run</Link>}
      </p>
    </>
  );
}
