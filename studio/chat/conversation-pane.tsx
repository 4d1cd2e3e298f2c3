/** One conversation: its messages, what goes on now, and where one writes. */
import { useMemo, useState } from 'react';
import type { Run } from '../data/runs.ts';
import { ReadingNote } from '../owner/reading-note.tsx';
import { EVERYBODY, useOwner } from '../owner.ts';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { Composer } from './composer.tsx';
import { type Conversation, type ConversationView, cancelTurn, type Turn } from './conversation.ts';
import { ConversationHead } from './conversation-head.tsx';
import { FailedTurn } from './failed-turn.tsx';
import { ForkStart } from './fork-start.tsx';
import { LiveTurn } from './live-turn.tsx';
import { MessageItem } from './message-item.tsx';
import { Question } from './question.tsx';
import { Suggestions } from './suggestions.tsx';
import { Transcript } from './transcript.tsx';
import { transcriptOf } from './transcript-items.ts';
import type { TurnRequest } from './turn-request.ts';
import { Waiting } from './waiting.tsx';
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
  const { thread, messages, failed, turns, loading, error } = view;
  const items = useMemo(() => transcriptOf(messages, failed), [messages, failed]);
  const waiting = turns.length === 0 && thread?.status === 'interrupted' ? thread : undefined;
  const [problem, setProblem] = useState<Error>();
  const { owner, of } = useOwner();
  const isReading = owner !== undefined;
  // A new conversation keeps its composer when it gets its address.
  const [draftKey] = useState(view.threadId ?? 'new');
  const isEmpty = !loading && !error && items.length === 0 && turns.length === 0 && !waiting;

  function send(request: TurnRequest) {
    if (workflow.name) conversation.send(request, workflow.name);
  }
  /** Of a run its question is kept, and no other input. */
  function retryOf({ user_prompt, workflow: name }: Run) {
    if (workflow.entries.find((one) => one.workflow === name)?.takes_prompt === false) return undefined;
    return () => conversation.send({ user_prompt }, name);
  }
  function cancel(turn: Turn) {
    setProblem(undefined);
    cancelTurn(turn).catch(setProblem);
  }
  const [running] = turns;
  return (
    <section className="conversation" aria-label="Conversation">
      <ConversationHead {...props} />
      <Transcript
        items={items}
        draw={(item) =>
          item.kind === 'message' ? (
            <MessageItem
              message={item.message}
              isInspected={item.message.run_id === inspecting}
              inspect={inspect}
            />
          ) : (
            <FailedTurn
              run={item.run}
              inspect={inspect}
              retry={waiting || isReading ? undefined : retryOf(item.run)}
            />
          )
        }
      >
        {loading && <Loading lines={6} />}
        {error && <ErrorNote error={error} retry={() => void conversation.reload()} />}
        {isEmpty && <Welcome view={view} />}
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
          <ForkStart thread={thread} begun={() => void conversation.reload()} />
        )}
        {turns.length === 0 && !waiting && (
          <Suggestions questions={view.suggestions} ask={(question) => send({ user_prompt: question })} />
        )}
      </Transcript>
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
          waits={waiting && (waiting.interrupts.length > 0 ? 'question' : 'stop')}
        />
      )}
    </section>
  );
}

function Welcome({ view: { threadId } }: { view: ConversationView }) {
  return (
    <Empty title={threadId ? 'Nothing is said here yet' : 'What should the agents do?'}>
      <p className="small">
        {threadId
          ? 'There is no conversation of this id. The first message begins it.'
          : 'Choose a workflow below and write. Every step of its graph is shown as it happens.'}
      </p>
    </Empty>
  );
}
