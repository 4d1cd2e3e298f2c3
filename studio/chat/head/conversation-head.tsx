/** The header of a conversation: its title and actions. */
import { Suspense, useState } from 'react';
import { deleteThread, renameThread } from '../../data/threads/threads.ts';
import { lazyWithStyles } from '../../lazy-with-styles.ts';
import { Cost } from '../../parts/formats/cost.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { useOwner } from '../../routing/owner.ts';
import { address, navigate } from '../../routing/router.ts';
import { invalidate } from '../../service/resources.ts';
import type { Conversation, ConversationView } from '../conversation/conversation.ts';

const Rename = lazyWithStyles(async () => ({ default: (await import('./head-dialogs.tsx')).Rename }));
const Delete = lazyWithStyles(async () => ({ default: (await import('./head-dialogs.tsx')).Delete }));

const ExportDialog = lazyWithStyles(async () => ({
  default: (await import('./export-dialog.tsx')).ExportDialog,
}));

interface ConversationHeadProps {
  conversation: Conversation;
  view: ConversationView;
  inspecting: string | undefined;
  togglePanel(): void;
  list(): void;
}

export function ConversationHead(props: ConversationHeadProps) {
  const { conversation, view, inspecting, togglePanel, list } = props;
  const { thread, threadId } = view;
  const { owner } = useOwner();
  const [dialog, setDialog] = useState<'rename' | 'delete' | 'export'>();
  return (
    <header className="conversation-head">
      <button
        type="button"
        className="button icon quiet only-narrow"
        aria-label="Conversations"
        onClick={list}
      >
        <Icon name="menu" />
      </button>
      <div className="grow">
        <h1 className="cut" dir="auto">
          {thread?.title ?? (threadId ? 'Conversation' : 'New conversation')}
        </h1>
        {threadId && (
          <p className="muted small cut">
            <code>{threadId}</code> <Cost cost={thread?.usage?.cost} />
            {thread?.parent && (
              <>
                {' · forked from '}
                <Link
                  href={address(['threads', thread.parent.thread_id, 'history'], {
                    at: thread.parent.checkpoint_id,
                  })}
                >
                  {thread.parent.thread_id.slice(0, 8)}
                </Link>
              </>
            )}
          </p>
        )}
      </div>
      {thread && (
        <>
          <Link
            className="button quiet"
            aria-label="History"
            title="History"
            href={address(['threads', thread.thread_id, 'history'])}
          >
            <Icon name="history" />
            <span className="not-narrow head-label">History</span>
          </Link>
          <button
            type="button"
            className="button icon quiet"
            aria-label="Export"
            title="Export"
            onClick={() => setDialog('export')}
          >
            <Icon name="download" />
          </button>
          {owner === undefined && (
            <>
              <button
                type="button"
                className="button quiet not-narrow"
                aria-label="Rename"
                title="Rename"
                onClick={() => setDialog('rename')}
              >
                <Icon name="edit" />
                <span className="head-label">Rename</span>
              </button>
              <button
                type="button"
                className="button quiet not-narrow"
                aria-label="Delete"
                title="Delete"
                onClick={() => setDialog('delete')}
              >
                <Icon name="trash" />
                <span className="head-label">Delete</span>
              </button>
            </>
          )}
        </>
      )}
      <button
        type="button"
        className="button icon quiet"
        aria-label="Run details"
        aria-pressed={inspecting !== undefined}
        onClick={togglePanel}
      >
        <Icon name="panel" />
      </button>
      <Suspense>
        {dialog === 'export' && thread && <ExportDialog thread={thread} close={() => setDialog(undefined)} />}
        {dialog === 'rename' && thread && (
          <Rename
            title={thread.title}
            close={() => setDialog(undefined)}
            save={async (title) => {
              await renameThread(thread.thread_id, title);
              invalidate('threads');
              await conversation.reload();
            }}
          />
        )}
        {dialog === 'delete' && thread && (
          <Delete
            title={thread.title}
            close={() => setDialog(undefined)}
            confirm={async () => {
              await deleteThread(thread.thread_id);
              invalidate('threads');
              navigate(address([]), { replace: true });
            }}
          />
        )}
      </Suspense>
    </header>
  );
}
