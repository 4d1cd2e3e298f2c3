/** Where one writes: Enter sends, Shift Enter makes a new line. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import type { WorkflowChoice } from './workflow-choice.ts';

interface ComposerProps {
  workflow: WorkflowChoice;
  /** What is written already. */
  draft: string;
  send(prompt: string): void;
  /** Ends what runs; undefined where nothing does. */
  cancel: (() => void) | undefined;
  /** The thread waits for an answer to its own question. */
  waits: boolean;
}

export function Composer({ workflow, draft, send, cancel, waits }: ComposerProps) {
  const [text, setText] = useState(draft);
  const field = useRef<HTMLTextAreaElement>(null);
  const ready = text.trim() !== '' && workflow.name !== undefined && !waits;
  // On a touch screen the focus would bring the keyboard up over the page.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, []);

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (!ready) return;
    send(text);
    setText('');
  }
  function key(event: KeyboardEvent) {
    // An input method uses Enter for itself.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }
  return (
    <form className="composer" onSubmit={submit}>
      <div className="composer-box">
        <textarea
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder={waits ? 'Answer the question above first' : 'Write a message'}
          value={text}
          disabled={waits}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={key}
        />
        <div className="row">
          <select
            className="field"
            aria-label="Workflow"
            value={workflow.name ?? ''}
            onChange={(event) => workflow.choose(event.target.value)}
          >
            {workflow.names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <span className="grow" />
          {cancel && (
            <button type="button" className="button" onClick={cancel}>
              <Icon name="stop" size={14} />
              Cancel
            </button>
          )}
          <button type="submit" className="button primary icon" aria-label="Send" disabled={!ready}>
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  );
}
