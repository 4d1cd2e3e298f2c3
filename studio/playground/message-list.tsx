/** The messages of the call, which you can add, remove, move and edit. */
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { Icon } from '../parts/icon.tsx';
import { type EditedMessage, newId } from './edited-call.ts';
import { MessageEditor } from './message-editor.tsx';
import type { Problems } from './replay-request.ts';

interface MessageListProps {
  messages: EditedMessage[];
  problems: Problems;
  change(messages: EditedMessage[]): void;
}

export function MessageList({ messages, problems, change }: MessageListProps) {
  const adding = useRef<HTMLButtonElement>(null);

  function add() {
    const role = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
    change([...messages, { id: newId(), role, text: '', toolCalls: '', toolCallId: '' }]);
  }
  function move(from: number, to: number, button: HTMLElement) {
    const moved = messages[from];
    if (!moved || to < 0 || to >= messages.length) return;
    // A moved element loses the focus.
    flushSync(() => change(messages.toSpliced(from, 1).toSpliced(to, 0, moved)));
    button.focus();
  }
  function remove(index: number) {
    flushSync(() => change(messages.toSpliced(index, 1)));
    adding.current?.focus();
  }
  return (
    <section className="stack" aria-label="Messages">
      <h2>Messages</h2>
      <ol className="stack">
        {messages.map((message, index) => (
          <li key={message.id} className="panel playground-message">
            <MessageEditor
              message={message}
              number={index + 1}
              problem={problems[`message:${message.id}`]}
              change={(changed) => change(messages.with(index, changed))}
            >
              <button
                type="button"
                className="button small icon quiet"
                aria-label={`Move message ${index + 1} up`}
                aria-disabled={index === 0}
                onClick={(event) => move(index, index - 1, event.currentTarget)}
              >
                <Icon name="up" size={14} />
              </button>
              <button
                type="button"
                className="button small icon quiet"
                aria-label={`Move message ${index + 1} down`}
                aria-disabled={index === messages.length - 1}
                onClick={(event) => move(index, index + 1, event.currentTarget)}
              >
                <Icon name="down" size={14} />
              </button>
              <button
                type="button"
                className="button small icon quiet"
                aria-label={`Remove message ${index + 1}`}
                onClick={() => remove(index)}
              >
                <Icon name="trash" size={14} />
              </button>
            </MessageEditor>
          </li>
        ))}
      </ol>
      <div className="row">
        <button ref={adding} type="button" className="button small" onClick={add}>
          <Icon name="plus" size={14} />
          Add message
        </button>
      </div>
    </section>
  );
}
