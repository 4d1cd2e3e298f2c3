/** The history of a thread: its checkpoints with their state and changes, and forks from them. */
import { type KeyboardEvent, Suspense, useState } from 'react';
import { listCheckpoints } from '../data/threads/checkpoints.ts';
import { readThread } from '../data/threads/threads.ts';
import { lazyPart } from '../lazy-with-styles.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { useOwner } from '../routing/owner.ts';
import type { PageProps } from '../routing/page-props.ts';
import { address, changeQuery } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';
import { usePages } from '../service/use-pages.ts';
import { CheckpointView } from './checkpoint-view.tsx';
import { Lineage } from './lineage.tsx';
import { isUnchanged, Timeline } from './timeline.tsx';
import './history.css';

const RunAgainDialog = lazyPart(() => import('../run-again/run-again-dialog.tsx'));

export default function HistoryPage({ params, query }: PageProps) {
  const threadId = params.thread_id ?? '';
  const { data: thread, error } = useResource(`thread:${threadId}`, () => readThread(threadId));
  const pages = usePages(`checkpoints:${threadId}`, async (cursor) => {
    const { checkpoints, next_cursor } = await listCheckpoints(threadId, cursor);
    return { items: checkpoints, next: next_cursor };
  });
  const { owner } = useOwner();
  const [running, setRunning] = useState(false);
  const [showAll, setShowAll] = useState(false);
  const requested = query.get('at');
  const all = pages.items ?? [];
  const withChanges = all.filter((one) => !isUnchanged(one) || one.checkpoint_id === requested);
  const checkpoints = showAll || withChanges.length === 0 ? all : withChanges;
  const at = Math.max(
    0,
    checkpoints.findIndex(({ checkpoint_id }) => checkpoint_id === requested),
  );
  const current = checkpoints[at];

  function go(index: number) {
    const next = checkpoints[index];
    if (next) changeQuery({ at: next.checkpoint_id });
  }
  function key(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    go(at + step);
  }
  return (
    <div className="history">
      <header className="run-head history-head">
        <Link
          className="button icon quiet"
          href={address(['threads', threadId])}
          aria-label="Back to conversation"
        >
          <Icon name="back" />
        </Link>
        <div className="grow">
          <h1 className="cut">{thread?.title ?? 'History'}</h1>
          {thread && <Lineage thread={thread} />}
        </div>
        <Link className="button" href={address(['compare'], { left: `thread:${threadId}` })}>
          <Icon name="compare" size={14} />
          Compare
        </Link>
        {owner === undefined && (
          <button
            type="button"
            className="button primary"
            disabled={!current}
            onClick={() => setRunning(true)}
          >
            <Icon name="play" size={14} />
            Run again from here
          </button>
        )}
      </header>
      {(error ?? pages.error) && <ErrorNote error={(error ?? pages.error) as Error} />}
      {!pages.items && !pages.error && <Loading lines={8} />}
      {pages.items?.length === 0 && (
        <Empty title="No checkpoints yet">
          <p className="small">Checkpoints appear with the first turn of this thread.</p>
        </Empty>
      )}
      {current && (
        <>
          <nav className="history-list" aria-label="Checkpoints" onKeyDown={key}>
            {(showAll || checkpoints.length < all.length) && (
              <label className="row small history-switch">
                <input type="checkbox" checked={showAll} onChange={() => setShowAll(!showAll)} />
                Show steps without changes
              </label>
            )}
            <Timeline checkpoints={checkpoints} current={current.checkpoint_id} />
            {pages.more && (
              <button type="button" className="button small quiet" onClick={pages.more}>
                Load more
              </button>
            )}
          </nav>
          <CheckpointView
            threadId={threadId}
            entry={current}
            older={at + 1 < checkpoints.length ? () => go(at + 1) : undefined}
            newer={at > 0 ? () => go(at - 1) : undefined}
          />
          {running && thread && (
            <Suspense>
              <RunAgainDialog
                threadId={threadId}
                workflow={thread.workflow}
                checkpointId={current.checkpoint_id}
                close={() => setRunning(false)}
              />
            </Suspense>
          )}
        </>
      )}
    </div>
  );
}
