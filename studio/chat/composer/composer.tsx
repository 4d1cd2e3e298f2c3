/** The composer: a message, or a form for a graph whose input needs more than a text, with the advanced options. */
import { type FormEvent, type KeyboardEvent, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import type { RefusedValue, SchemaInputHandle } from '../../parts/schema-form/schema-input.tsx';
import { Loading } from '../../parts/states.tsx';
import type { RejectedRequest } from '../conversation/rejected-request.ts';
import type { TurnRequest } from '../conversation/turn-request.ts';
import type { WorkflowChoice } from '../conversation/workflow-choice.ts';
import type { AdvancedHandle } from './advanced.tsx';
import { AdvancedFields, SchemaInput } from './lazy-fields.tsx';
import { readDraft, saveDraft } from './message-draft.ts';

interface ComposerProps {
  workflow: WorkflowChoice;
  /** The key under which the draft is kept. */
  draftKey: string;
  /** The initial text. */
  draft: string;
  send(request: TurnRequest): void;
  /** Cancels the current turn; undefined if none is running. */
  cancel: (() => void) | undefined;
  /** What the thread waits for: the answer to a question, or a continuation after a breakpoint. */
  waitsFor: 'question' | 'breakpoint' | undefined;
  refused: RejectedRequest | undefined;
}

const PLACEHOLDERS = { question: 'Answer the question above first', breakpoint: 'Continue the run first' };

export function Composer({ workflow, draftKey, draft, send, cancel, waitsFor, refused }: ComposerProps) {
  const { entry } = workflow;
  const [text, setText] = useState(draft || (readDraft(draftKey) ?? ''));
  // An example question was selected while the composer is shown.
  useEffect(() => {
    if (draft) setText(draft);
  }, [draft]);
  useEffect(() => saveDraft(draftKey, text), [draftKey, text]);
  const [asFields, setAsFields] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setOpened] = useState(false);
  const [isUsed, setUsed] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const input = useRef<SchemaInputHandle>(null);
  const advanced = useRef<AdvancedHandle>(null);

  const takesText = entry?.takes_prompt !== false;
  const isInput = !takesText || (asFields && (entry?.input_schema ?? null) !== null);
  const ready = (isInput || text.trim() !== '') && workflow.name !== undefined && !waitsFor;
  const { refusedInput, refusedContext } = useMemo(() => refusedValues(refused), [refused]);
  useEffect(() => {
    if (refusedContext) setOpen(true);
  }, [refusedContext]);
  // On a touch screen, focus would open the keyboard over the page.
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
    saveDraft(`${draftKey} input`, '');
  }
  function openAdvanced(open: boolean) {
    setOpen(open);
    setOpened(true);
  }
  function key(event: KeyboardEvent) {
    // While an input method composes text, Enter confirms its choice.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }
  return (
    <form className="composer" onSubmit={submit} noValidate>
      <div className="composer-box">
        {wasOpened && (
          <Suspense fallback={<Loading lines={2} />}>
            <AdvancedFields ref={advanced} {...{ entry, isOpen, setUsed }} refused={refusedContext} />
          </Suspense>
        )}
        {isInput ? (
          <fieldset className="composer-input" disabled={waitsFor !== undefined}>
            <Suspense fallback={<Loading lines={2} />}>
              <SchemaInput
                key={workflow.name}
                ref={input}
                label="Input"
                schema={entry?.input_schema}
                draft={readDraft(`${draftKey} input`)}
                saveDraft={(written) => saveDraft(`${draftKey} input`, written)}
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
            placeholder={waitsFor ? PLACEHOLDERS[waitsFor] : 'Write a message'}
            value={text}
            readOnly={waitsFor !== undefined}
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
              saveDraft(`${draftKey} input`, '');
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
            {isUsed && !isOpen && <span className="dot running" role="img" aria-label="Options set" />}
          </button>
          {cancel && (
            <button type="button" className="button" onClick={cancel}>
              <Icon name="stop" size={14} />
              Cancel
            </button>
          )}
          <button type="submit" className="button primary icon" aria-label="Send" aria-disabled={!ready}>
            <Icon name="send" />
          </button>
        </div>
      </div>
    </form>
  );
}

function refusedValues(refused: RejectedRequest | undefined): {
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
