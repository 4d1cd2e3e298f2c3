/** The list of uploads, with progress and results. */
import { SkeinApiError } from '../../client/api-error.ts';
import { Icon } from '../parts/icon.tsx';
import { isUnderWay, type Upload, type Uploads } from './uploads.ts';

export function UploadList({ list, replace, dismiss }: Uploads) {
  if (list.length === 0) return null;
  const finished = list.filter((upload) => !isUnderWay(upload));
  return (
    <section className="panel uploads" aria-label="Uploads">
      <div className="row">
        <h2 className="grow">Uploads</h2>
        <button
          type="button"
          className="button small quiet"
          aria-disabled={finished.length === 0}
          onClick={() => {
            for (const { key } of finished) dismiss(key);
          }}
        >
          Clear
        </button>
      </div>
      <ul aria-live="polite">
        {list.map((upload) => (
          <li key={upload.key} data-state={upload.state}>
            <span className="cut">{upload.name}</span>
            <State upload={upload} />
            {upload.state === 'asks' && (
              <span className="row">
                <button type="button" className="button small" onClick={() => replace(upload.key)}>
                  Replace
                </button>
                <button type="button" className="button small" onClick={() => dismiss(upload.key)}>
                  Skip
                </button>
              </span>
            )}
            {upload.state === 'failed' && (
              <button
                type="button"
                className="button small icon quiet"
                aria-label={`Dismiss ${upload.name}`}
                onClick={() => dismiss(upload.key)}
              >
                <Icon name="close" size={14} />
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function State({ upload: { state, sent, error, passages, name, given } }: { upload: Upload }) {
  if (state === 'waiting') return <span className="muted small">Waiting</span>;
  if (state === 'asks') return <span className="small">A document with this name already exists.</span>;
  if (state === 'failed') return <Failure error={error} />;
  if (state === 'done')
    return (
      <span className="small good">
        Indexed, {passages} {passages === 1 ? 'passage' : 'passages'}
        {name !== given && <span className="muted"> (renamed from {given})</span>}
      </span>
    );
  return (
    <span className="row small">
      <progress max={1} value={state === 'sending' ? sent : undefined} aria-label={`${name}: ${state}`} />
      {state === 'sending' ? `${Math.floor(sent * 100)}%` : 'Indexing…'}
    </span>
  );
}

function Failure({ error }: { error: Error | undefined }) {
  const detail = error instanceof SkeinApiError ? error.detail : undefined;
  return (
    <span className="small bad" role="alert">
      {error?.message} {detail}
    </span>
  );
}
