/** The list of conversations, newest first, with search and filters. */
import { useState } from 'react';
import { listThreads, type ThreadEntry, type ThreadStatus } from '../data/threads/threads.ts';
import { OwnerFilter } from '../owner/owner-filter.tsx';
import { Ago } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { useDebounced } from '../parts/use-debounced.ts';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import { address, navigate } from '../routing/router.ts';
import { invalidate } from '../service/resources.ts';
import { usePages } from '../service/use-pages.ts';

const STATUSES: Record<ThreadStatus, { label: string; tone: string }> = {
  idle: { label: 'Idle', tone: '' },
  busy: { label: 'Running', tone: 'running' },
  interrupted: { label: 'Waiting for you', tone: 'waiting' },
  error: { label: 'Failed', tone: 'bad' },
};

export function ThreadList({ current, close }: { current: string | undefined; close(): void }) {
  const [text, setText] = useState('');
  const [status, setStatus] = useState<ThreadStatus | ''>('');
  const { owner, of } = useOwner();
  const q = useDebounced(text.trim(), 200);
  const filter = { q, status: status || undefined };
  const pages = usePages(`threads:${q}:${status}`, async (cursor) => {
    const { threads, next_cursor } = await listThreads(filter, cursor);
    return { items: threads, next: next_cursor };
  });

  return (
    <aside className="threads" aria-label="Conversations">
      <div className="threads-head">
        <div className="row">
          <h2 className="grow">Conversations</h2>
          <Link className="button small" href={address([], { owner: '' })} onClick={close}>
            <Icon name="plus" size={14} />
            New
          </Link>
          <button type="button" className="button icon quiet only-narrow" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <div className="row">
          <input
            className="field grow"
            type="search"
            placeholder="Title or id"
            aria-label="Search conversations"
            value={text}
            maxLength={200}
            onChange={(event) => setText(event.target.value)}
          />
          <select
            className="field"
            aria-label="Status"
            value={status}
            onChange={(event) => setStatus(event.target.value as ThreadStatus | '')}
          >
            <option value="">All</option>
            {Object.entries(STATUSES).map(([value, { label }]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <OwnerFilter choose={(chosen) => navigate(address([], { owner: chosen ?? '' }))} />
      </div>
      <div className="threads-list">
        {pages.error && <ErrorNote error={pages.error} retry={() => invalidate('threads')} />}
        {!pages.items && !pages.error && <Loading lines={8} />}
        {pages.items?.length === 0 && (
          <Empty title={q || status ? 'No conversations found' : 'No conversations yet'}>
            <p className="small">
              {q || status ? 'Try a different search or status.' : 'Send a message to start one.'}
            </p>
          </Empty>
        )}
        <ul>
          {pages.items?.map((thread) => (
            <li key={`${thread.owner} ${thread.thread_id}`}>
              <Entry
                thread={thread}
                showsOwner={owner === ALL_CALLERS}
                isCurrent={thread.thread_id === current && (of === undefined || of === thread.owner)}
                open={close}
              />
            </li>
          ))}
        </ul>
        {pages.more && (
          <button type="button" className="button small quiet" onClick={pages.more}>
            Load more
          </button>
        )}
      </div>
    </aside>
  );
}

interface EntryProps {
  thread: ThreadEntry;
  /** Whether the list has threads of several callers. */
  showsOwner: boolean;
  isCurrent: boolean;
  open(): void;
}

function Entry({ thread, showsOwner, isCurrent, open }: EntryProps) {
  const { label, tone } = STATUSES[thread.status];
  return (
    <Link
      className="thread"
      href={address(['threads', thread.thread_id], { of: showsOwner ? thread.owner : '' })}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={open}
    >
      <span className="row">
        <span className={`dot ${tone}`} role="img" aria-label={label} title={label} />
        <span className="title cut grow" dir="auto">
          {thread.title}
        </span>
      </span>
      <span className="row muted small">
        <span className="cut grow">
          {showsOwner && `${thread.owner} · `}
          {thread.parent && 'fork · '}
          {thread.workflow}
        </span>
        <Ago at={thread.updated_at} />
      </span>
    </Link>
  );
}
