/** The page of a prompt file: the editor, a preview, its versions, and dry runs. */
import { type KeyboardEvent, Suspense, useEffect, useId, useMemo, useState } from 'react';
import { type PromptName, workflowsUsing } from '../data/prompts.ts';
import { lazyPart } from '../lazy-with-styles.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import type { PageProps } from '../routing/page-props.ts';
import { address, blockNavigation } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';
import { ConflictNote } from './draft/conflict-note.tsx';
import { type Draft, useDraft } from './draft/draft.ts';
import { DryRunPanel } from './dry-run-panel.tsx';
import { problemOf } from './editor/problem.ts';
import { ProblemNote } from './editor/problem-note.tsx';
import { HistoryPanel } from './history-panel.tsx';
import { withDataSamples } from './preview/data-samples.ts';
import { PreviewPanel } from './preview/preview-panel.tsx';
import { sampleVariables } from './preview/sample-variables.ts';
import { usePreview } from './preview/use-preview.ts';
import { variablesOf } from './preview/variables-form.tsx';
import './prompts.css';

const CodeEditor = lazyPart(() => import('./editor/code-editor.tsx'));

const TABS = [
  { value: 'preview', label: 'Preview' },
  { value: 'history', label: 'Versions' },
  { value: 'dry-run', label: 'Dry run' },
] as const;

type Tab = (typeof TABS)[number]['value'];

export default function PromptPage({ params: { revision = '', file = '' } }: PageProps) {
  return <Page key={`${revision}/${file}`} name={{ revision, file }} />;
}

function Page({ name }: { name: PromptName }) {
  const draft = useDraft(name);
  const { text, isChanged } = draft;
  const isTemplate = name.file.endsWith('.jinja');
  const [tab, setTab] = useState<Tab>('preview');
  const [typed, setTyped] = useState<Record<string, string>>({});
  const id = useId();
  const variables = useMemo(
    () => variablesOf(isTemplate ? withDataSamples(name.file, sampleVariables(text ?? '')) : {}, typed),
    [isTemplate, name.file, text, typed],
  );
  const preview = usePreview(name, text, variables.values);
  // Keep the identity of the problem, because the editor moves its mark while you type.
  const problem = useMemo(
    () => problemOf(draft.error) ?? problemOf(preview.error),
    [draft.error, preview.error],
  );
  useEffect(() => {
    if (!isChanged) return;
    return blockNavigation(() => confirm('Leave without saving? Your changes are kept in this tab.'));
  }, [isChanged]);

  function key(event: KeyboardEvent) {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void draft.save();
  }
  if (text === undefined)
    return (
      <div className="page">
        {draft.error ? (
          <ErrorNote error={draft.error} retry={() => void draft.reload()} />
        ) : (
          <Loading lines={10} />
        )}
      </div>
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl S saves from anywhere on the page
    <div className="prompt-page" onKeyDown={key}>
      <Head name={name} draft={draft} />
      <div className="prompt-edit">
        <ConflictNote draft={draft} />
        {draft.wasRestored && !draft.theirs && (
          <p className="note small" role="status">
            <span>Your unsaved changes were restored.</span>
          </p>
        )}
        <div className="editor-box">
          <Suspense fallback={<div className="code-editor" />}>
            <CodeEditor
              label={`Text of ${name.file}`}
              isTemplate={isTemplate}
              shown={draft.shown}
              changed={draft.edit}
              problem={problem}
              against={draft.theirs?.text}
            />
          </Suspense>
          <ProblemNote problem={problem} text={text} isRejected={problemOf(draft.error) !== undefined} />
        </div>
        {draft.error && !problemOf(draft.error) && <ErrorNote error={draft.error} />}
      </div>
      <div className="panel prompt-side">
        <Tabs id={id} label="File details" tabs={TABS} value={tab} choose={setTab} />
        <div className="prompt-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
          {tab === 'preview' && (
            <PreviewPanel
              preview={preview}
              variables={variables}
              change={(of, value) => setTyped({ ...typed, [of]: value })}
            />
          )}
          {tab === 'history' && <HistoryPanel name={name} draft={draft} />}
          {tab === 'dry-run' && <DryRunPanel name={name} text={text} />}
        </div>
      </div>
    </div>
  );
}

function Head({ name, draft }: { name: PromptName; draft: Draft }) {
  const { revision, file } = name;
  // The buttons keep the focus after a click, so they aren't `disabled`.
  const mayDiscard = draft.isChanged && !draft.busy;
  const maySave = !draft.busy && (draft.isChanged || draft.saved === undefined);
  const { data: users } = useResource(`prompt-users:${revision}/${file}`, () => workflowsUsing(name));
  return (
    <header className="prompt-head">
      <Link
        className="button icon quiet"
        href={address(['prompts'], { revision })}
        aria-label={`Files of revision ${revision}`}
      >
        <Icon name="back" />
      </Link>
      <div className="grow">
        <h1 className="cut">{file}</h1>
        <p className="muted small cut">
          Revision {revision}
          {!draft.saved && ' (new file)'}
          {users && users.length > 0 && (
            <>
              {', used by '}
              {users.map(({ workflow }, index) => (
                <span key={workflow}>
                  {index > 0 && ', '}
                  <Link href={address(['workflows', workflow])}>{workflow}</Link>
                </span>
              ))}
            </>
          )}
        </p>
      </div>
      <p className="small muted" role="status">
        {draft.busy ? 'Saving…' : draft.isChanged ? 'Unsaved changes' : draft.saved ? 'Saved' : 'New'}
      </p>
      <button
        type="button"
        className="button"
        aria-disabled={!mayDiscard}
        onClick={() => mayDiscard && draft.discard()}
      >
        Discard
      </button>
      <button
        type="button"
        className="button primary"
        aria-disabled={!maySave}
        title="Ctrl S"
        onClick={() => maySave && void draft.save()}
      >
        Save
      </button>
    </header>
  );
}
