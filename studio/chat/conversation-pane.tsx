/** One conversation: its messages, its current turns, and the composer. */
import { Suspense, useCallback, useMemo, useRef, useState } from 'react';
import type { RunHead } from '../data/threads/threads.ts';
import { ReadingNote } from '../owner/reading-note.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import { ExampleQuestions } from '../workflows/example-questions.tsx';
import { Composer } from './composer/composer.tsx';
import {
  type Conversation,
  type ConversationView,
  cancelTurn,
  type Turn,
} from './conversation/conversation.ts';
import { useRejected } from './conversation/rejected-request.ts';
import type { TurnRequest } from './conversation/turn-request.ts';
import type { WorkflowChoice } from './conversation/workflow-choice.ts';
import { ConversationHead } from './head/conversation-head.tsx';
import { FailedTurn, ForkNote, LiveTurn, MessageItem, Waiting } from './transcript/lazy-parts.tsx';
import { Suggestions } from './transcript/suggestions.tsx';
import { Transcript } from './transcript/transcript.tsx';
import { type TranscriptItem, transcriptOf } from './transcript/transcript-items.ts';

interface ConversationPaneProps {
  conversation: Conversation;
  view: ConversationView;
  workflow: WorkflowChoice;
  /** The initial text of the composer. */
  draft: string;
  /** The run that the inspector shows. */
  inspecting: string | undefined;
  inspect(run: string): void;
  togglePanel(): void;
  list(): void;
}

export function ConversationPane(props: ConversationPaneProps) {
  const { conversation, view, workflow, inspecting, inspect } = props;
  const { thread, messages, hasOlder, failed, turns, loading, error } = view;
  const items = useMemo(() => transcriptOf(messages, failed, hasOlder), [messages, failed, hasOlder]);
  const waiting = turns.length === 0 && thread?.status === 'interrupted' ? thread : undefined;
  const [problem, setProblem] = useState<Error>();
  const { owner, of } = useOwner();
  const isReading = owner !== undefined;
  const refused = useRejected(turns);
  // A new conversation keeps its composer when it gets its address.
  const [draftKey] = useState(view.threadId ?? 'new');
  const isEmpty = !loading && !error && items.length === 0 && turns.length === 0 && !waiting;

  function send(request: TurnRequest) {
    if (workflow.name) conversation.send(request, workflow.name);
  }
  /** Only the question of a run is stored, so a run with another input can't be retried. */
  function retryOf({ user_prompt, workflow: name }: RunHead) {
    const entry = workflow.entries.find((one) => one.workflow === name);
    if (user_prompt === '' || entry?.takes_prompt === false) return undefined;
    return () => conversation.send({ user_prompt }, name);
  }
  function cancel(turn: Turn) {
    setProblem(undefined);
    cancelTurn(turn).catch(setProblem);
  }
  const [running] = turns;
  // Keep the identity of `draw` stable, so that the items don't render again.
  const latest = useRef({ inspect, retryOf });
  latest.current = { inspect, retryOf };
  const canRetry = !waiting && !isReading;
  const draw = useCallback(
    (item: TranscriptItem) => {
      const inspect = (run: string) => latest.current.inspect(run);
      if (item.kind === 'message') {
        const { message } = item;
        return (
          <MessageItem message={message} isInspected={message.run_id === inspecting} inspect={inspect} />
        );
      }
      const retry = canRetry ? latest.current.retryOf(item.run) : undefined;
      return <FailedTurn run={item.run} inspect={inspect} retry={retry} />;
    },
    [inspecting, canRetry],
  );
  return (
    <section className="conversation" aria-label="Conversation">
      <ConversationHead {...props} />
      <Suspense fallback={<div className="transcript-frame" />}>
        <Transcript items={items} older={hasOlder ? conversation.older : undefined} draw={draw}>
          {loading && <Loading lines={6} />}
          {error && <ErrorNote error={error} retry={() => void conversation.reload()} />}
          {isEmpty && <Welcome view={view} workflow={isReading ? undefined : workflow} />}
          {problem && turns.length > 0 && <ErrorNote error={problem} />}
          {turns.map((turn, index) => (
            <LiveTurn
              key={turn.key}
              turn={turn}
              inspect={inspect}
              retry={(request) => {
                conversation.dismiss(turn);
                send(request);
              }}
              dismiss={() => conversation.dismiss(turn)}
              before={turns[index - 1]}
              cancel={isReading ? undefined : () => cancel(turn)}
            />
          ))}
          {waiting && (
            <Waiting
              key={`${view.newestRun} ${waiting.updated_at}`}
              thread={waiting}
              prompt={view.waitingPrompt}
              answer={isReading ? undefined : conversation.answer}
            />
          )}
          {thread?.parent && turns.length === 0 && !isReading && (
            <Suspense>
              <ForkNote thread={thread} run={view.newestRun} onStart={() => void conversation.reload()} />
            </Suspense>
          )}
          {turns.length === 0 && !waiting && (
            <Suggestions questions={view.suggestions} ask={(question) => send({ user_prompt: question })} />
          )}
        </Transcript>
      </Suspense>
      {isReading ? (
        <ReadingNote owner={of ?? (owner === ALL_CALLERS ? undefined : owner)} />
      ) : (
        <Composer
          workflow={workflow}
          key={draftKey}
          draftKey={draftKey}
          draft={props.draft}
          send={send}
          cancel={running && (() => cancel(running))}
          refused={refused}
          waitsFor={waiting && (waiting.interrupts.length > 0 ? 'question' : 'breakpoint')}
        />
      )}
    </section>
  );
}

interface WelcomeProps {
  view: ConversationView;
  /** Undefined if you can't send messages here. */
  workflow: WorkflowChoice | undefined;
}

function Welcome({ view: { threadId }, workflow }: WelcomeProps) {
  return (
    <Empty title={threadId ? 'No messages yet' : 'What should the agents do?'}>
      <p className="small">
        {threadId
          ? 'No conversation has this id yet. Your first message creates it.'
          : 'Choose a workflow below and send a message. You see each step of its graph as it runs.'}
      </p>
      {!threadId && workflow && <ExampleQuestions workflows={workflow.entries} choose={workflow.choose} />}
    </Empty>
  );
}
