/** Where one writes: a message, or an input as JSON for a graph that takes no text alone, and what is asked beside it. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { JsonField } from '../parts/json-field.tsx';
import { type JsonProblem, readJson } from '../parts/json-text.ts';
import { AdvancedFields, type AdvancedProblems, NOTHING_ADVANCED, readAdvanced } from './advanced.tsx';
import { inputToFillIn } from './input-schema.ts';
import { keepMessage, keptMessage } from './kept-message.ts';
import { SchemaFields } from './schema-fields.tsx';
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
}

const PLACEHOLDERS = { question: 'Answer the question above first', stop: 'Let the run go on first' };

export function Composer({ workflow, place, draft, send, cancel, waits }: ComposerProps) {
  const { entry } = workflow;
  const [text, setText] = useState(draft || (keptMessage(place) ?? ''));
  const [typed, setTyped] = useState(keptMessage(`${place} input`));
  // A question that was chosen while this is shown.
  useEffect(() => {
    if (draft) setText(draft);
  }, [draft]);
  useEffect(() => keepMessage(place, text), [place, text]);
  useEffect(() => keepMessage(`${place} input`, typed ?? ''), [place, typed]);
  const [asJson, setAsJson] = useState(false);
  const [advanced, setAdvanced] = useState(NOTHING_ADVANCED);
  const [isOpen, setOpen] = useState(false);
  const [problems, setProblems] = useState<AdvancedProblems & { input?: JsonProblem }>({});
  const field = useRef<HTMLTextAreaElement>(null);

  const takesInput = entry?.takes_prompt === false || (entry?.input_schema ?? null) !== null;
  const isJson = entry?.takes_prompt === false || (takesInput && asJson);
  const input = typed ?? inputToFillIn(entry?.input_schema);
  const ready = (isJson ? input : text).trim() !== '' && workflow.name !== undefined && !waits;
  // On a touch screen the focus would bring the keyboard up over the page.
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus({ preventScroll: true });
  }, []);

  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (!ready) return;
    const read = isJson ? readJson(input) : undefined;
    const { request, problems } = readAdvanced(advanced);
    setProblems({ ...problems, ...(read?.problem && { input: read.problem }) });
    if (Object.keys(problems).length > 0) setOpen(true);
    if (read?.problem || Object.keys(problems).length > 0) return;
    send({ ...request, ...(read ? { input: read.value } : { user_prompt: text }) });
    setText('');
    setTyped(undefined);
  }
  function key(event: KeyboardEvent) {
    // An input method uses Enter for itself.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }
  const isAdvanced = Object.values(advanced).some((one) => one.trim() !== '');
  return (
    <form className="composer" onSubmit={submit}>
      <div className="composer-box">
        {isOpen && <AdvancedFields entry={entry} text={advanced} change={setAdvanced} problems={problems} />}
        {isJson ? (
          <fieldset disabled={waits !== undefined}>
            <JsonField
              label="Input"
              hint={<SchemaFields schema={entry?.input_schema} />}
              rows={3}
              text={input}
              change={setTyped}
              problem={problems.input}
            />
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
              setTyped(undefined);
              setProblems({});
              workflow.choose(event.target.value);
            }}
          >
            {workflow.entries.map(({ workflow: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <span className="grow" />
          {takesInput && entry?.takes_prompt !== false && (
            <button
              type="button"
              className="button small quiet"
              aria-pressed={asJson}
              onClick={() => setAsJson(!asJson)}
            >
              JSON
            </button>
          )}
          <button
            type="button"
            className="button small quiet"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            Advanced
            {isAdvanced && !isOpen && <span className="dot running" role="img" aria-label="in use" />}
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
