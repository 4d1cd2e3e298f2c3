/** A stored message: a question, or an answer. */
import { memo } from 'react';
import { Contents } from '../../content/contents.tsx';
import type { Message } from '../../data/threads/threads.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { AgentOutput } from '../../output/agent-output.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Clock } from '../../parts/formats/time.tsx';
import { type ContentPart, partsIn } from '../../parts/media/content-parts.ts';
import { Feedback } from './feedback.tsx';
import { STOP } from './message-keys.ts';
import { Question } from './question.tsx';

export interface MessageItemProps {
  message: Message;
  isInspected: boolean;
  inspect(run: string): void;
}

export const MessageItem = memo(function MessageItem({ message, isInspected, inspect }: MessageItemProps) {
  const parts = partsIn(message.parts);
  if (message.role === 'user')
    return parts ? <QuestionOfParts parts={parts} /> : <Question text={message.content} />;
  const { content, status } = message;
  // Outputs are empty if the model only called tools.
  const outputs = (message.outputs ?? []).filter((one) => one.content !== '' || (one.data ?? null) !== null);
  return (
    <article className="answer" data-inspected={isInspected} aria-label="Answer" {...STOP}>
      {outputs.length > 0 ? (
        outputs.map((output, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: stored outputs keep their order
          <AgentOutput key={index} output={output as never} named={outputs.length > 1} />
        ))
      ) : parts ? (
        <Contents parts={parts} formatted />
      ) : (
        content && <Markdown text={content} />
      )}
      {status === 'cancelled' && <p className="chip">Cancelled</p>}
      <footer className="answer-foot">
        <Feedback message={message} />
        <CopyButton text={content} />
        <button type="button" className="button small quiet" onClick={() => inspect(message.run_id)}>
          View run
        </button>
        <span className="grow" />
        <span>{message.workflow}</span>
        {message.token_count !== undefined && <span>{message.token_count.toLocaleString()} tokens</span>}
        <Clock at={message.created_at} />
      </footer>
    </article>
  );
});

function QuestionOfParts({ parts }: { parts: ContentPart[] }) {
  return (
    <article className="question" aria-label="Question">
      <Contents parts={parts} />
    </article>
  );
}
