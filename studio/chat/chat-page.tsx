/** The chat page: the list of conversations, a conversation, and the inspector of its runs. */
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { lazyWithStyles } from '../lazy-with-styles.ts';
import { useOwner } from '../routing/owner.ts';
import type { PageProps } from '../routing/page-props.ts';
import { address, changeQuery, navigate } from '../routing/router.ts';
import { onThreadChanges } from '../service/connection.ts';
import { invalidate } from '../service/resources.ts';
import { useStoredChoice } from '../stored-choice.ts';
import { type Conversation, openConversation } from './conversation/conversation.ts';
import { useWorkflow } from './conversation/workflow-choice.ts';
import { ConversationPane } from './conversation-pane.tsx';
import { GraphPlaceholder } from './graph-placeholder.tsx';
import { ThreadList } from './thread-list.tsx';
import './chat.css';

const RunInspector = lazyWithStyles(async () => ({
  default: (await import('../run/run-inspector.tsx')).RunInspector,
}));

// On narrower screens the inspector covers the conversation, so it only opens on request.
const WIDE = matchMedia('(min-width: 1101px)');

export default function ChatPage({ params, query }: PageProps) {
  const { owner, of } = useOwner();
  const conversation = useConversation(params.thread_id, of ?? owner);
  const view = useSyncExternalStore(conversation.subscribe, conversation.view);
  const workflow = useWorkflow(view, query.get('workflow') ?? undefined);
  const [panel, setPanel] = useStoredChoice<'open' | 'closed'>('inspector', 'open');
  const [listing, setListing] = useState(false);
  const [showGraph, setShowGraph] = useState(false);
  const chosen = query.get('run') ?? undefined;
  const shown = chosen !== undefined || (panel === 'open' && WIDE.matches);
  const runId = chosen ?? view.turns.at(-1)?.live.view().run?.run_id ?? view.newestRun;

  function inspect(run: string | undefined) {
    changeQuery({ run, node: undefined });
    setPanel('open');
  }
  function close() {
    changeQuery({ run: undefined, node: undefined });
    setPanel('closed');
  }
  return (
    <div className="chat" data-inspecting={shown} data-listing={listing}>
      <ThreadList current={params.thread_id} close={() => setListing(false)} />
      <ConversationPane
        key={conversation.key}
        conversation={conversation}
        view={view}
        workflow={workflow}
        draft={query.get('draft') ?? ''}
        inspecting={shown ? runId : undefined}
        inspect={inspect}
        togglePanel={shown ? close : () => inspect(runId)}
        list={() => setListing(true)}
      />
      {shown && runId === undefined && !showGraph && (
        <GraphPlaceholder workflow={workflow.name} show={() => setShowGraph(true)} close={close} />
      )}
      {shown && (runId !== undefined || showGraph) && (
        <Suspense fallback={<aside className="inspector" />}>
          <RunInspector
            runId={runId}
            workflow={workflow.name}
            live={view.turns.find(({ live }) => live.view().run?.run_id === runId)?.live}
            close={close}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The conversation of a thread and owner. A new conversation stays the same object when its first turn gives it an address. */
function useConversation(threadId: string | undefined, owner: string | undefined): Conversation {
  const [{ conversation, by }, show] = useState(() => ({ conversation: open(threadId), by: owner }));
  const own = useSyncExternalStore(conversation.subscribe, () => conversation.view().threadId);
  useEffect(() => {
    if (own !== threadId || by !== owner) show({ conversation: open(threadId), by: owner });
  }, [own, threadId, by, owner]);
  useEffect(() => {
    const reload = () => void conversation.reload();
    reload();
    addEventListener('focus', reload);
    const unsubscribe = onThreadChanges((threads) => {
      const { threadId, turns } = conversation.view();
      // While this page watches a turn, the end of the turn reloads the conversation.
      if (!threads || (turns.length === 0 && threads.includes(threadId ?? ''))) reload();
    });
    return () => {
      unsubscribe();
      removeEventListener('focus', reload);
      conversation.close();
    };
  }, [conversation]);
  return conversation;
}

function open(threadId: string | undefined): Conversation {
  return openConversation({
    threadId,
    onThread: (id) => navigate(address(['threads', id]), { replace: true }),
    onChange: () => {
      invalidate('threads');
      invalidate('run:');
    },
  });
}
