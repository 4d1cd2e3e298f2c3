/** The versions of a file: author, time, changes, and restore. */
import { useState } from 'react';
import {
  type PromptName,
  type PromptVersion,
  readPrompt,
  readVersions,
  restorePrompt,
} from '../data/prompts.ts';
import { TextDiff } from '../diff/text-diff.tsx';
import { sizeText } from '../parts/formats/size-text.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { invalidate, useResource } from '../service/resources.ts';
import type { Draft } from './draft/draft.ts';

export function HistoryPanel({ name, draft }: { name: PromptName; draft: Draft }) {
  const key = `${name.revision}/${name.file}`;
  const { data, error } = useResource(draft.saved && `prompt-versions:${key}`, () => readVersions(name));
  const [chosen, choose] = useState<number>();
  if (!draft.saved)
    return (
      <Empty title="No versions yet">
        <p className="small">Save the file to create its first version.</p>
      </Empty>
    );
  if (error) return <ErrorNote error={error} retry={() => invalidate('prompt-versions:')} />;
  if (!data) return <Loading lines={6} />;
  const shown = data.find(({ version }) => version === chosen);
  return (
    <div className="stack">
      <ol className="versions" aria-label="Versions">
        {data.map((version, index) => (
          <li key={version.version}>
            <button
              type="button"
              aria-pressed={version.version === chosen}
              onClick={() => choose(version.version === chosen ? undefined : version.version)}
            >
              <strong>{version.version === 0 ? 'Shipped version' : `Version ${version.version}`}</strong>
              {index === 0 && <span className="chip good">Current</span>}
              <span className="muted small">{writtenText(version)}</span>
              <span className="muted small number">{sizeText(version.size)}</span>
            </button>
          </li>
        ))}
      </ol>
      {shown ? (
        <Version
          key={shown.version}
          name={name}
          version={shown}
          draft={draft}
          isNewest={shown.version === data[0]?.version}
        />
      ) : (
        <p className="muted small">Select a version to compare it with the text in the editor.</p>
      )}
    </div>
  );
}

function writtenText({ author, created_at, version }: PromptVersion) {
  const by = author ?? (version === 0 ? 'shipped' : 'added manually');
  if (!created_at) return by;
  return (
    <>
      {by}, <Ago at={created_at} />
    </>
  );
}

interface VersionProps {
  name: PromptName;
  version: PromptVersion;
  draft: Draft;
  isNewest: boolean;
}

function Version({ name, version: { version }, draft, isNewest }: VersionProps) {
  const key = `prompt-version:${name.revision}/${name.file}/${version}`;
  const { data, error } = useResource(key, () => readPrompt(name, version));
  const [problem, setProblem] = useState<Error>();
  const [busy, setBusy] = useState(false);

  async function restore() {
    if (draft.isChanged || busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await restorePrompt(name, version, draft.saved?.etag ?? '');
      invalidate('prompt');
      await draft.reload();
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    setBusy(false);
  }
  return (
    <section className="stack" aria-label={`Version ${version}`}>
      <div className="row wrap">
        <p className="small grow">Changes from version {version} to the text in the editor</p>
        {!isNewest && (
          <button
            type="button"
            className="button small"
            aria-disabled={draft.isChanged || busy}
            title={draft.isChanged ? 'Save or discard your changes first' : undefined}
            onClick={() => void restore()}
          >
            {busy ? 'Restoring…' : `Restore version ${version}`}
          </button>
        )}
      </div>
      {!isNewest && draft.isChanged && (
        <p className="muted small">Save or discard your changes before you restore a version.</p>
      )}
      {problem && <ErrorNote error={problem} retry={() => void draft.reload()} />}
      {error && <ErrorNote error={error} />}
      {data && (
        <TextDiff before={data.text} after={draft.text ?? ''} label={`Changes since version ${version}`} />
      )}
      {!data && !error && <Loading />}
    </section>
  );
}
