/** A text area for JSON. An error has its line and column, and a button that selects the place. */
import { type ReactNode, useId, useRef } from 'react';
import type { JsonProblem } from './json-text.ts';

interface JsonFieldProps {
  label: ReactNode;
  rows: number;
  text: string;
  change(text: string): void;
  problem: JsonProblem | undefined;
  placeholder?: string;
  /** Shown beside the label. */
  hint?: ReactNode;
}

export function JsonField({ label, rows, text, change, problem, placeholder, hint }: JsonFieldProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  function show({ at }: JsonProblem) {
    field.current?.focus();
    field.current?.setSelectionRange(at, at + 1);
  }
  return (
    <div className="json-field">
      <div className="row wrap">
        <label className="labelled" htmlFor={id}>
          {label}
        </label>
        {hint}
      </div>
      <textarea
        ref={field}
        id={id}
        className="field mono growing"
        rows={rows}
        spellCheck={false}
        placeholder={placeholder}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && `${id}-problem`}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      {problem && (
        <p className="note bad row" role="alert" id={`${id}-problem`}>
          <span className="grow">{problem.message}</span>
          <button type="button" className="button small" onClick={() => show(problem)}>
            Go to error
          </button>
        </p>
      )}
    </div>
  );
}
