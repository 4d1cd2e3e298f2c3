/** One conversation: its messages, what goes on now, and where one writes. */
import { Suspense, useCallback, useMemo, useRef, useState } from 'react';
import type { RunHead } from '../data/threads.ts';
import { ReadingNote } from '../owner/reading-note.tsx';
import { EVERYBODY, useOwner } from '../owner.ts';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { ExampleQuestions } from '../workflows/example-questions.tsx';
import { Composer } from './composer.tsx';
import { type Conversation, type ConversationView, cancelTurn, type Turn } from './conversation.ts';
import { ConversationHead } from './conversation-head.tsx';
import { FailedTurn } from './failed-turn.tsx';
import { ForkStart, LiveTurn, MessageItem, Waiting } from './lazy-parts.tsx';
import { Question } from './question.tsx';
import { useRefused } from './refused-request.ts';
import { Suggestions } from './suggestions.tsx';
import { Transcript } from './transcript.tsx';
import { type TranscriptItem, transcriptOf } from './transcript-items.ts';
import type { TurnRequest } from './turn-request.ts';
import type { WorkflowChoice } from './workflow-choice.ts';

interface ConversationPaneProps {
  conversation: Conversation;
  view: ConversationView;
  workflow: WorkflowChoice;
  /** What is written already. */
  draft: string;
  /** The run whose doings are shown beside. */
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
  const refused = useRefused(turns);
  // A new conversation keeps its composer when it gets its address.
  const [draftKey] = useState(view.threadId ?? 'new');
  const isEmpty = !loading && !error && items.length === 0 && turns.length === 0 && !waiting;

  function send(request: TurnRequest) {
    if (workflow.name) conversation.send(request, workflow.name);
  }
  /** Of a run its question is kept, and no other input. */
  function retryOf({ user_prompt, workflow: name }: RunHead) {
    if (workflow.entries.find((one) => one.workflow === name)?.takes_prompt === false) return undefined;
    return () => conversation.send({ user_prompt }, name);
  }
  function cancel(turn: Turn) {
    setProblem(undefined);
    cancelTurn(turn).catch(setProblem);
  }
  const [running] = turns;
  // The same function while nothing of it changes: what is drawn is not drawn again.
  const latest = useRef({ inspect, retryOf });
  latest.current = { inspect, retryOf };
  const canRetry = !waiting && !isReading;
  const draw = useCallback(
    (item: TranscriptItem) => {
      const look = (run: string) => latest.current.inspect(run);
      if (item.kind === 'message') {
        const { message } = item;
        return <MessageItem message={message} isInspected={message.run_id === inspecting} inspect={look} />;
      }
      const retry = canRetry ? latest.current.retryOf(item.run) : undefined;
      return <FailedTurn run={item.run} inspect={look} retry={retry} />;
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
          {waiting && view.waitingPrompt !== undefined && <Question text={view.waitingPrompt} />}
          {waiting && !isReading && (
            <Waiting
              key={`${view.newestRun} ${waiting.updated_at}`}
              thread={waiting}
              answer={conversation.answer}
            />
          )}
          {thread?.parent && !view.newestRun && turns.length === 0 && !isReading && (
            <Suspense>
              <ForkStart thread={thread} begun={() => void conversation.reload()} />
            </Suspense>
          )}
          {turns.length === 0 && !waiting && (
            <Suggestions questions={view.suggestions} ask={(question) => send({ user_prompt: question })} />
          )}
        </Transcript>
      </Suspense>
      {isReading ? (
        <ReadingNote owner={of ?? (owner === EVERYBODY ? undefined : owner)} />
      ) : (
        <Composer
          workflow={workflow}
          key={draftKey}
          place={draftKey}
          draft={props.draft}
          send={send}
          cancel={running && (() => cancel(running))}
          refused={refused}
          waits={waiting && (waiting.interrupts.length > 0 ? 'question' : 'stop')}
        />
      )}
    </section>
  );
}

interface WelcomeProps {
  view: ConversationView;
  /** Undefined where nothing can be asked. */
  workflow: WorkflowChoice | undefined;
}

function Welcome({ view: { threadId }, workflow }: WelcomeProps) {
  return (
    <Empty title={threadId ? 'Nothing is said here yet' : 'What should the agents do?'}>
      <p className="small">
        {threadId
          ? 'There is no conversation of this id. The first message begins it.'
          : 'Choose a workflow below and write. Every step of its graph is shown as it happens.'}
      </p>
      {!threadId && workflow && <ExampleQuestions workflows={workflow.entries} choose={workflow.choose} />}
    </Empty>
  );
}
