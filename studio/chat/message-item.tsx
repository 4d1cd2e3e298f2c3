/** A stored message: what was asked, or what the agents answered. */
import { memo } from 'react';
import type { Message } from '../data/threads.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { AgentOutput } from '../output/agent-output.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Clock } from '../parts/time.tsx';
import { Feedback } from './feedback.tsx';
import { STOP } from './message-keys.ts';
import { Question } from './question.tsx';

export interface MessageItemProps {
  message: Message;
  isInspected: boolean;
  inspect(run: string): void;
}

export const MessageItem = memo(function MessageItem({ message, isInspected, inspect }: MessageItemProps) {
  if (message.role === 'user') return <Question text={message.content} />;
  const { content, status } = message;
  // A model that only called tools has said nothing.
  const outputs = (message.outputs ?? []).filter((one) => one.content !== '' || (one.data ?? null) !== null);
  return (
    <article className="answer" data-inspected={isInspected} aria-label="Answer" {...STOP}>
      {outputs.length > 0
        ? outputs.map((output, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what is stored keeps its places
            <AgentOutput key={index} output={output as never} named={outputs.length > 1} />
          ))
        : content && <Markdown text={content} />}
      {status === 'cancelled' && <p className="chip">cancelled before its end</p>}
      <footer className="answer-foot">
        <Feedback message={message} />
        <CopyButton text={content} />
        <button type="button" className="button small quiet" onClick={() => inspect(message.run_id)}>
          What it did
        </button>
        <span className="grow" />
        <span>{message.workflow}</span>
        {message.token_count !== undefined && <span>{message.token_count.toLocaleString()} tokens</span>}
        <Clock at={message.created_at} />
      </footer>
    </article>
  );
});
