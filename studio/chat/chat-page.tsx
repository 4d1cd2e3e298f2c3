/** A conversation, between the list of all and what its runs did. */
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { whenChanged } from '../connection.ts';
import { useOwner } from '../owner.ts';
import type { PageProps } from '../page-props.ts';
import { invalidate } from '../resources.ts';
import { address, changeQuery, navigate } from '../router.ts';
import { useStoredChoice } from '../stored-choice.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { ConversationPane } from './conversation-pane.tsx';
import { GraphOffer } from './graph-offer.tsx';
import { RunInspector } from './lazy-parts.tsx';
import { ThreadList } from './thread-list.tsx';
import { useWorkflow } from './workflow-choice.ts';
import './chat.css';

// Narrower, there is no place for it beside the conversation: it is opened over it.
const WIDE = matchMedia('(min-width: 1101px)');

export default function ChatPage({ params, query }: PageProps) {
  const { owner, of } = useOwner();
  const conversation = useConversation(params.thread_id, of ?? owner);
  const view = useSyncExternalStore(conversation.subscribe, conversation.view);
  const workflow = useWorkflow(view, query.get('workflow') ?? undefined);
  const [beside, setBeside] = useStoredChoice<'open' | 'closed'>('inspector', 'open');
  const [listing, setListing] = useState(false);
  const [wanted, want] = useState(false);
  const chosen = query.get('run') ?? undefined;
  const shown = chosen !== undefined || (beside === 'open' && WIDE.matches);
  const runId = chosen ?? view.turns.at(-1)?.live.view().run?.run_id ?? view.newestRun;

  function inspect(run: string | undefined) {
    changeQuery({ run, node: undefined });
    setBeside('open');
  }
  function close() {
    changeQuery({ run: undefined, node: undefined });
    setBeside('closed');
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
      {shown && runId === undefined && !wanted && (
        <GraphOffer workflow={workflow.name} show={() => want(true)} close={close} />
      )}
      {shown && (runId !== undefined || wanted) && (
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

/** One for each thread that is shown, of whichever owner; a new one stays the same when its first turn gives it an address. */
function useConversation(threadId: string | undefined, owner: string | undefined): Conversation {
  const [{ conversation, by }, show] = useState(() => ({ conversation: begun(threadId), by: owner }));
  const own = useSyncExternalStore(conversation.subscribe, () => conversation.view().threadId);
  useEffect(() => {
    if (own !== threadId || by !== owner) show({ conversation: begun(threadId), by: owner });
  }, [own, threadId, by, owner]);
  useEffect(() => {
    const look = () => void conversation.reload();
    look();
    addEventListener('focus', look);
    const unhear = whenChanged((threads) => {
      const { threadId, turns } = conversation.view();
      // A turn that is watched here reads everything at its end.
      if (!threads || (turns.length === 0 && threads.includes(threadId ?? ''))) look();
    });
    return () => {
      unhear();
      removeEventListener('focus', look);
      conversation.close();
    };
  }, [conversation]);
  return conversation;
}

function begun(threadId: string | undefined): Conversation {
  return openConversation({
    threadId,
    onThread: (id) => navigate(address(['threads', id]), { replace: true }),
    onChange: () => {
      invalidate('threads');
      invalidate('run:');
    },
  });
}
