/** Where one writes: a message, or the fields of a graph that takes more than a text, and what is asked beside it. */
import { type FormEvent, type KeyboardEvent, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import type { RefusedValue, SchemaInputHandle } from '../parts/schema-form/schema-input.tsx';
import { Loading } from '../parts/states.tsx';
import type { AdvancedHandle } from './advanced.tsx';
import { keepMessage, keptMessage } from './kept-message.ts';
import { AdvancedFields, SchemaInput } from './lazy-parts.tsx';
import type { RefusedRequest } from './refused-request.ts';
import type { TurnRequest } from './turn-request.ts';
import type { WorkflowChoice } from './workflow-choice.ts';

interface ComposerProps {
  workflow: WorkflowChoice;
  /** Where what is written is kept. */
  place: string;
  /** What is written already. */
  draft: string;
  send(request: TurnRequest): void;
  /** Ends what runs; undefined where nothing does. */
  cancel: (() => void) | undefined;
  /** The thread waits for an answer to its own question, or for a word to go on. */
  waits: 'question' | 'stop' | undefined;
  refused: RefusedRequest | undefined;
}

const PLACEHOLDERS = { question: 'Answer the question above first', stop: 'Let the run go on first' };

export function Composer({ workflow, place, draft, send, cancel, waits, refused }: ComposerProps) {
  const { entry } = workflow;
  const [text, setText] = useState(draft || (keptMessage(place) ?? ''));
  // A question that was chosen while this is shown.
  useEffect(() => {
    if (draft) setText(draft);
  }, [draft]);
  useEffect(() => keepMessage(place, text), [place, text]);
  const [asFields, setAsFields] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const [isUsed, use] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const input = useRef<SchemaInputHandle>(null);
  const advanced = useRef<AdvancedHandle>(null);

  const takesText = entry?.takes_prompt !== false;
  const isInput = !takesText || (asFields && (entry?.input_schema ?? null) !== null);
  const ready = (isInput || text.trim() !== '') && workflow.name !== undefined && !waits;
  const { refusedInput, refusedContext } = useMemo(() => refusedValues(refused), [refused]);
  useEffect(() => {
    if (refusedContext) setOpen(true);
  }, [refusedContext]);
  // On a touch screen the focus would bring the keyboard up over the page.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, []);

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (!ready) return;
    const read = isInput ? input.current?.read() : { value: text };
    const more = wasOpened ? advanced.current?.read() : {};
    if (!more) openAdvanced(true);
    if (!read || !more) return;
    send({ ...more, ...(isInput ? { input: read.value } : { user_prompt: text }) });
    setText('');
    input.current?.clear();
    keepMessage(`${place} input`, '');
  }
  function openAdvanced(open: boolean) {
    setOpen(open);
    setOpened(true);
  }
  function key(event: KeyboardEvent) {
    // An input method uses Enter for itself.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }
  return (
    <form className="composer" onSubmit={submit} noValidate>
      <div className="composer-box">
        {wasOpened && (
          <Suspense fallback={<Loading lines={2} />}>
            <AdvancedFields ref={advanced} {...{ entry, isOpen, use }} refused={refusedContext} />
          </Suspense>
        )}
        {isInput ? (
          <fieldset className="composer-input" disabled={waits !== undefined}>
            <Suspense fallback={<Loading lines={2} />}>
              <SchemaInput
                key={workflow.name}
                ref={input}
                label="Input"
                schema={entry?.input_schema}
                kept={keptMessage(`${place} input`)}
                keep={(written) => keepMessage(`${place} input`, written)}
                refused={refusedInput}
              />
            </Suspense>
          </fieldset>
        ) : (
          <textarea
            ref={field}
            className="message"
            dir="auto"
            rows={1}
            aria-label="Message"
            placeholder={waits ? PLACEHOLDERS[waits] : 'Write a message'}
            value={text}
            disabled={waits !== undefined}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={key}
          />
        )}
        <div className="row">
          <select
            className="field"
            aria-label="Workflow"
            value={workflow.name ?? ''}
            onChange={(event) => {
              keepMessage(`${place} input`, '');
              workflow.choose(event.target.value);
            }}
          >
            {workflow.entries.map(({ workflow: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <span className="grow" />
          {takesText && (entry?.input_schema ?? null) !== null && (
            <button
              type="button"
              className="button small quiet"
              aria-pressed={isInput}
              onClick={() => setAsFields(!asFields)}
            >
              Fields
            </button>
          )}
          <button
            type="button"
            className="button small quiet"
            aria-expanded={isOpen}
            onClick={() => openAdvanced(!isOpen)}
          >
            Advanced
            {isUsed && !isOpen && <span className="dot running" role="img" aria-label="in use" />}
          </button>
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

function refusedValues(refused: RefusedRequest | undefined): {
  refusedInput: RefusedValue | undefined;
  refusedContext: RefusedValue | undefined;
} {
  const { request: { input, context } = {}, detail = '' } = refused ?? {};
  return {
    refusedInput: input === undefined ? undefined : { name: 'input', value: input, detail },
    refusedContext: /(^|; )context[.:]/.test(detail)
      ? { name: 'context', value: context, detail }
      : undefined,
  };
}
